import { describe } from "vitest";
import { errorOf, test } from "../../support/home.ts";

/** Command lines of other tools, and our command for each. */
const suggestions: readonly (readonly [typed: string, command: string])[] = [
  ["auth login", "login"],
  ["auth logout", "logout"],
  ["config", "profile show"],
  ["config use-context prod", "profile use"],
  ["whoami", "profile show"],
  ["get groups", "group list"],
  ["get group 3", "group fetch"],
  ["describe sender-id ACME", "sender-id fetch"],
  ["edit group 3", "group update"],
  ["remove groups 3 4", "group delete"],
  ["list", "sender-id list or sendctl group list"],
  ["keys list", "local key list"],
  ["contact", "local contact"],
  ["backup now.db", "local backup"],
  ["plan -f x.yaml", "diff"],
  ["group describe 3", "group fetch"],
  ["groups remove 3", "group delete"],
  ["local key delete 1", "local key revoke"],
  ["local contact new 1 +4915112345678", "local contact add"],
  ["profile add", "login"],
  ["help config", "profile show"],
];

describe.concurrent("a command of another tool is suggested as ours:", () => {
  for (const [typed, command] of suggestions) {
    test(typed, async ({ home, expect }) => {
      const outcome = await home.run([...typed.split(" "), "--json"]);
      expect(outcome.exitCode).toBe(2);
      const { kind, hint } = errorOf(outcome);
      expect(kind).toBe("usage");
      expect(hint).toContain(`did you mean sendctl ${command}?`);
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
