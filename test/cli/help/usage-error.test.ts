import { describe } from "vitest";
import { test } from "../../support/home.ts";

describe.concurrent("--help before a command", () => {
  for (const [line, help] of [
    ["--help group", "help group"],
    ["-h sender-id create", "help sender-id create"],
    ["--help exit-codes", "help exit-codes"],
  ] as const) {
    test(`${line} is ${help}`, async ({ home, expect }) => {
      const shown = await home.run(line.split(" "));
      expect(shown).toStrictEqual(await home.run(help.split(" ")));
      expect(shown.exitCode).toBe(0);
    });
  }
});

describe.concurrent("an alias runs the command:", () => {
  for (const [typed, command] of [
    ["sender-ids ls", "sender-id list"],
    ["groups ls", "group list"],
    ["profiles ls", "profile list"],
    ["local keys ls", "local key list"],
    ["group show 1", "group fetch 1"],
    ["group get 1", "group fetch 1"],
    ["group view 1", "group fetch 1"],
    ["sender-id view x", "sender-id fetch x"],
    ["group remove 1 --yes", "group delete 1 --yes"],
    ["profile remove x --yes", "profile delete x --yes"],
    ["group edit 1 --name x", "group update 1 --name x"],
    ["sender-id show x", "sender-id fetch x"],
    ["version", "--version"],
  ] as const) {
    test(typed, async ({ home, expect }) => {
      const args = ["--output", "jsonl"];
      expect(await home.run([...typed.split(" "), ...args])).toStrictEqual(
        await home.run([...command.split(" "), ...args]),
      );
    });
  }
});
