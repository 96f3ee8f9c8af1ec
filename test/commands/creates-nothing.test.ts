import { readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe } from "vitest";
import { writeConfig } from "../support/config-file.ts";
import { dataOf, runAtTerminal, test, type Home } from "../support/home.ts";

/** Returns every path in the home folder. */
async function pathsIn(home: Home): Promise<readonly string[]> {
  return (await readdir(home.folder, { recursive: true })).toSorted();
}

/** Commands that only read, with their exit codes without a database (-1 for any). */
const reads: readonly (readonly [command: string, exitCode: number])[] = [
  ["sender-id list", 0],
  ["sender-id list --all --json", 0],
  ["sender-id fetch ACME", 4],
  ["group list", 0],
  ["group list -o csv", 0],
  ["group fetch 1", 4],
  ["export", 0],
  ["diff -f manifest.yaml", 12],
  ["apply -f manifest.yaml --dry-run", -1],
  ["group create Friends --dry-run", 0],
  ["api GET /v1/group", 0],
  ["local info", 0],
  ["local check", 0],
  ["local log", 0],
  ["local key list", 0],
  ["local integration list", 0],
  ["local contact list 1", 4],
  ["local birthdays", 0],
  ["profile list", 0],
  ["profile show", 0],
  ["doctor", 0],
  ["completion bash", 0],
  ["schema manifest", 0],
];

/** Commands that fail without a database, with their exit codes. */
const failures: readonly (readonly [command: string, exitCode: number])[] = [
  [`group create ${"x".repeat(256)}`, 6],
  ["group create Friends --sender-id ACME", 4],
  ["group update 7 --name Friends", 4],
  ["group update Customers --name Friends", 4],
  ["group rename Customers Friends", 4],
  ["group delete 7 8 --yes", 4],
  [`sender-id create ${"x".repeat(256)} --purpose Orders`, 6],
  ["sender-id delete ACME --yes", 4],
  ["api POST /v1/group --body {}", 6],
  ["api PUT /v1/group/7 --body {}", 4],
  ["api DELETE /v1/group/7", 4],
  ["undo", 4],
  ["local contact add 1 +447911123401", 4],
  ["local contact import 1 manifest.yaml", 4],
  ["local contact delete 1 +447911123401 --yes", 4],
  ["local integration create default", 5],
  ["local integration delete staging --yes", 4],
  ["local key create --integration staging", 4],
  ["local key revoke 7 --yes", 4],
  ["local review ACME --status APPROVED", 4],
  ["local seed --integration staging", 4],
];

/** Commands that never open the database. */
const withoutDatabase = /^(?:profile|completion|schema|doctor)|--dry-run/;

describe.concurrent("a read creates nothing", () => {
  for (const [command, exitCode] of reads) {
    test(command, async ({ home, expect }) => {
      await writeFile(join(home.folder, "manifest.yaml"), "groups:\n  - name: Customers\n");
      const before = await pathsIn(home);
      const args = command.split(" ");
      const inFolder = await home.run(args);
      const withoutFile = await home.run([...args, "--database", join(home.folder, "x.db")]);
      const empty = join(home.folder, "empty.db");
      await writeFile(empty, "");
      await home.run([...args, "--database", empty]);
      expect((await stat(empty)).size).toBe(0);
      await rm(empty);
      const database = join(home.folder, "no", "such", "folder", "x.db");
      const withoutFolder = [
        await home.run([...args, "--database", database]),
        await home.run(args, { SENDCTL_DATABASE: database }),
      ];
      expect(await pathsIn(home)).toStrictEqual(before);
      if (exitCode >= 0) {
        expect([inFolder.exitCode, withoutFile.exitCode]).toStrictEqual([exitCode, exitCode]);
      }
      if (withoutDatabase.test(command)) return;
      for (const outcome of withoutFolder) {
        expect(outcome).toMatchObject({ exitCode: 11 });
        expect(outcome.stderr).toContain(database);
      }
    });
  }

  for (const [command, exitCode] of failures) {
    test(`nor does a failed ${command.slice(0, 60)}`, async ({ home, expect }) => {
      await writeFile(join(home.folder, "manifest.yaml"), "");
      const before = await pathsIn(home);
      const outcome = await home.run(command.split(" "));
      expect([outcome.exitCode, outcome.stderr]).toStrictEqual([
        exitCode,
        expect.not.stringMatching(/HTTP|defect/),
      ]);
      expect(await pathsIn(home)).toStrictEqual(before);
    });
  }

  test("if a terminal prompts for a record", async ({ home, expect }) => {
    const before = await pathsIn(home);
    const outcome = await runAtTerminal(home, ["group", "fetch"]);
    expect(outcome).toMatchObject({
      exitCode: 4,
      stderr: "sendctl: no groups yet\nhint: create one: sendctl group create NAME\n",
    });
    expect(await pathsIn(home)).toStrictEqual(before);
  });

  test("in a profile whose database folder does not exist", async ({ home, expect }) => {
    const profiles = { dev: { mode: "local", database: join(home.folder, "no", "x.db") } };
    await writeConfig(home, { current: "dev", profiles });
    const before = await pathsIn(home);
    expect((await home.run(["group", "list"])).exitCode).toBe(11);
    expect(await pathsIn(home)).toStrictEqual(before);
    // A write creates the folder and the database.
    expect((await home.run(["group", "create", "Friends"])).exitCode).toBe(0);
    expect(dataOf(await home.run(["group", "list", "--json"]))).toMatchObject({ total: 1 });
  });
});
