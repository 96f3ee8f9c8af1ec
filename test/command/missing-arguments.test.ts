import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe } from "vitest";
import { runAtTerminal, test } from "../support/home.ts";

describe.concurrent("at a terminal", () => {
  for (const [args, result] of [
    ["validate", "No errors: 0 sender IDs, 1 group"],
    ["diff", "1 to create"],
    ["apply --yes", "1 created"],
  ] as const) {
    test(`${args} asks for a manifest that exists`, async ({ home, expect }) => {
      const words = args.split(" ");
      const manifest = "groups:\n  - name: Friends\n";
      await writeFile(join(home.folder, "other.yaml"), manifest);
      const keys = [
        ["? Manifest file", "nope.yaml\r"],
        ["sendctl: nope.yaml does not exist", ""],
        ["? Manifest file", "other.yaml\r"],
      ] as const;
      const asked = await runAtTerminal(home, words, { keys });
      expect(asked).toMatchObject({ exitCode: args === "diff" ? 12 : 0, keysLeft: 0 });
      expect(asked.stdout + asked.stderr).toContain(result);
      // The usual file is the default, if it exists.
      await writeFile(join(home.folder, "sendctl.yaml"), manifest);
      const usual = [["? Manifest file (sendctl.yaml)", "\r"]] as const;
      const again = await runAtTerminal(home, words, { keys: usual });
      expect(again).toMatchObject({ exitCode: args === "diff" ? 12 : 0, keysLeft: 0 });
      const script = await home.run(words);
      const hint = "hint: pass a manifest, or - for standard input";
      const stderr = `sendctl: missing required argument FILE\n${hint}\n`;
      expect(script).toMatchObject({ exitCode: 2, stderr });
    });
  }

  test("completion offers its shells, and api its methods", async ({ home, expect }) => {
    const shell = [["? Which shell?\n❯ bash\n  zsh\n  fish\n  powershell", "\r"]] as const;
    const completion = await runAtTerminal(home, ["completion"], { keys: shell });
    expect(completion).toMatchObject({ exitCode: 0, keysLeft: 0 });
    expect(completion.stdout).toContain("complete -o nosort");
    const method = [
      ["? Method\n❯ GET\n  POST\n", "\r"],
      ["? Path", "/v1/group\r"],
    ] as const;
    const api = await runAtTerminal(home, ["api"], { keys: method });
    expect(api).toMatchObject({ exitCode: 0, keysLeft: 0 });
  });

  test("local start asks for the file of --write-env", async ({ home, expect }) => {
    const keys = [["? File for the base URL and the key", "/nowhere/service.env\r"]] as const;
    const ran = await runAtTerminal(home, ["local", "start"], { keys });
    expect(ran).toMatchObject({ exitCode: 2, keysLeft: 0 });
    expect(stripVTControlCharacters(ran.stderr)).toContain("/nowhere/service.env");
    expect(existsSync("/nowhere")).toBe(false);
  });
});
