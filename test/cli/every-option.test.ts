import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe } from "vitest";
import { formatNames } from "../../src/output/formats/formats.ts";
import { test, type Home } from "../support/home.ts";

/** Commands that print something, and the formats that each has. */
const commands: readonly (readonly [line: string, formats: readonly string[]])[] = [
  ["export", ["table", "json", "yaml"]],
  ["schema manifest", ["table", "json"]],
  ["schema openapi", ["table", "json"]],
  ["completion bash", ["table"]],
  ["validate m.yaml", ["table", "json", "yaml"]],
  ["diff m.yaml", ["table", "json", "jsonl", "yaml", "markdown"]],
  ["apply m.yaml --yes", ["table", "json", "jsonl", "yaml", "markdown"]],
  ["api GET /v1/group", ["table", "json"]],
  ...[
    "history",
    "local info",
    "local check",
    "local log",
    "local birthdays",
    "local key list",
    "local integration list",
    "local contact list 1",
    "profile list",
    "doctor",
    "group preview 1",
    "group list",
    "group fetch 1",
    "sender-id list",
  ].map((line) => [line, formatNames] as const),
];

const withoutQuery = /^(?:export|schema|completion)/;

async function stock(home: Home): Promise<void> {
  await home.run(["group", "create", "A"]);
  await writeFile(join(home.folder, "m.yaml"), "groups:\n  - name: A\n");
}

describe("an option that does not fit a command", () => {
  for (const [line, known] of commands) {
    const words = line.split(" ");
    test(`is refused, and a format of the environment is not: ${line}`, async ({
      home,
      expect,
    }) => {
      await stock(home);
      for (const format of formatNames) {
        const option = await home.run([...words, "-o", format]);
        expect([format, option.exitCode]).toEqual([format, known.includes(format) ? 0 : 2]);
        if (option.exitCode === 2) expect(option.stderr).toContain("printed as");
        const variable = await home.run(words, { SENDCTL_OUTPUT: format });
        expect([format, variable.exitCode]).toEqual([format, 0]);
      }
      for (const option of ["--csv-safe", "--csv-bom"]) {
        expect((await home.run([...words, option])).exitCode).toBe(2);
      }
      const query = await home.run([...words, "--json", "--query", "'found'"]);
      if (withoutQuery.test(line)) expect(query.exitCode).toBe(2);
      else expect(query.stdout).toContain("found");
    });
  }
});
