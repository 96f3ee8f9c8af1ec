import { existsSync } from "node:fs";
import { join } from "node:path";
import { connect } from "../../../src/engine/sqlite/connection/connect.ts";
import { migrations } from "../../../src/engine/sqlite/connection/migrations.ts";
import { test, type Home } from "../../support/home.ts";

const current = migrations.length;

/** Runs a command. Returns its exit code with the data that it prints. */
async function reported(home: Home, ...args: string[]): Promise<[number | undefined, unknown]> {
  const { exitCode, stdout } = await home.run(["local", "migrate", ...args, "--json"], {
    SENDCTL_DATABASE: "own.db",
  });
  const { data } = JSON.parse(stdout) as { data: Record<string, unknown> };
  return [exitCode, { from: data["from_version"], to: data["to_version"] }];
}

test("local migrate creates the schema once", async ({ home, expect }) => {
  const creation = { from: null, to: current };
  expect(await reported(home, "--check")).toEqual([12, creation]);
  expect(existsSync(join(home.folder, "own.db"))).toBe(false);
  expect(await reported(home)).toEqual([0, creation]);
  expect(await reported(home)).toEqual([0, { from: current, to: current }]);
  expect(await reported(home, "--check")).toEqual([0, { from: current, to: current }]);
});

test("local migrate upgrades an older schema", async ({ home, expect }) => {
  const database = connect(join(home.folder, "own.db"));
  database.exec(migrations[0]!);
  database.exec("PRAGMA application_id = 0x5343544c; PRAGMA user_version = 1");
  database.close();
  const upgrade = { from: 1, to: current };
  expect(await reported(home, "--check")).toEqual([12, upgrade]);
  expect(await reported(home)).toEqual([0, upgrade]);
  expect(await reported(home, "--check")).toEqual([0, { from: current, to: current }]);
});

test("local migrate refuses a schema of a newer sendctl", async ({ home, expect }) => {
  expect(await reported(home)).toMatchObject([0, {}]);
  const database = connect(join(home.folder, "own.db"));
  database.pragma("user_version = 99");
  database.close();
  for (const args of [[], ["--check"]]) {
    const { exitCode } = await home.run(["local", "migrate", ...args, "--database", "own.db"]);
    expect([args, exitCode]).toEqual([args, 11]);
  }
});
