import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe } from "vitest";
import { diagnose } from "./doctor-case.ts";
import { runAtTerminal, test, type Home } from "../support/home.ts";
import { connect } from "../../src/engine/sqlite/database-file.ts";

async function withDatabase(home: Home): Promise<void> {
  await home.run(["group", "create", "Friends"]);
}

describe("checks of the machine and the database", () => {
  test("damaged pages are an error of the database", async ({ home, expect }) => {
    await withDatabase(home);
    const bytes = await readFile(home.database);
    bytes.fill(0xff, 4096 * 3, 4096 * 6);
    await writeFile(home.database, bytes);
    const { exitCode, stderr, check, checks } = await diagnose(home);
    expect(exitCode).toBe(11);
    expect(stderr).toMatch(/^sendctl: 1 error\n$/);
    expect(check("database")).toMatchObject({
      status: "error",
      fix: expect.stringContaining("restore it from a backup") as unknown,
    });
    expect(checks.map(({ name }) => name)).toContain("permissions");
  });

  test("a truncated database, and a folder in its place, are errors", async ({ home, expect }) => {
    await withDatabase(home);
    const bytes = await readFile(home.database);
    await writeFile(home.database, bytes.subarray(0, bytes.length - 5000));
    expect(await diagnose(home)).toMatchObject({ exitCode: 11 });
    await mkdir(join(home.folder, "folder"));
    expect(await diagnose(home, ["--database", "folder"])).toMatchObject({ exitCode: 11 });
  });

  test("a read-only database is an error", async ({ home, expect }) => {
    await withDatabase(home);
    await chmod(home.database, 0o400);
    const found = await diagnose(home);
    expect(found).toMatchObject({ exitCode: 11, notOk: ["database: error"] });
    expect(found.check("database")?.detail).toContain("is read-only");
  });

  test.for([
    ["PRAGMA user_version = 99", "database", "newer sendctl"],
    ["PRAGMA application_id = 7", "database", "belongs to another program"],
    [
      "INSERT INTO contact (group_id, phone) VALUES (999, '1')",
      "integrity",
      "row 1 of contact refers to a missing row of contact_group",
    ],
  ] as const)("%s makes an error", async ([sql, name, says], { home, expect }) => {
    await withDatabase(home);
    const database = connect(home.database);
    database.pragma("foreign_keys = OFF");
    database.exec(sql);
    database.close();
    const found = await diagnose(home);
    expect(found).toMatchObject({ exitCode: 11, notOk: [`${name}: error`] });
    expect(found.check(name)?.detail).toContain(says);
  });

  test("checks a database while another process writes", async ({ home, expect }) => {
    await withDatabase(home);
    const database = connect(home.database);
    try {
      database.exec("BEGIN IMMEDIATE; UPDATE integration SET name = 'other'");
      const { exitCode, notOk } = await diagnose(home);
      expect({ exitCode, notOk }).toStrictEqual({ exitCode: 0, notOk: [] });
      database.exec("COMMIT");
      // The write-ahead log is checked, too.
      database.pragma("user_version = 99");
      expect((await diagnose(home)).notOk).toStrictEqual(["database: error"]);
    } finally {
      database.close();
    }
  });
});

describe("output of doctor", () => {
  test("has marks and colours and fits the width at a terminal", async ({ home, expect }) => {
    await writeFile(join(home.folder, "notes.txt"), "Not a database at all. ".repeat(99));
    const args = ["doctor", "--database", "notes.txt"];
    const ran = await runAtTerminal(home, args, { columns: 60 });
    expect(ran.exitCode).toBe(11);
    expect(ran.stdout).toContain("\u001b[32m✓ ok     \u001b[39m");
    expect(ran.stdout).toContain("\u001b[31m✗ error  \u001b[39m");
    const plain = await runAtTerminal(home, args, { columns: 60, env: { NO_COLOR: "1" } });
    expect(plain.stdout).not.toContain("\u001b");
    expect(plain.stdout).toContain("✗ error");
    for (const line of plain.stdout.split("\n").filter((line) => !line.includes(home.folder))) {
      expect(line.length).toBeLessThanOrEqual(60);
    }
  });

  test.for([
    [40, "✓ ok       node\n    ", "\n✓ ok       addon\n    better-sqlite3 loads\n"],
    [120, "✓ ok       node      ", "\n✓ ok       addon     better-sqlite3 loads\n"],
  ] as const)(
    "has its texts below the names if %i columns are too few",
    async ([columns, node, addon], { home, expect }) => {
      const { stdout } = await runAtTerminal(home, ["doctor"], { columns, env: { NO_COLOR: "1" } });
      expect(stdout.startsWith(node)).toBe(true);
      expect(stdout).toContain(addon);
    },
  );
});
