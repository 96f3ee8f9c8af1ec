import { writeFileSync } from "node:fs";
import { copyFile, open, readdir, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { assert, asyncProperty, integer } from "fast-check";
import { describe, expect, test } from "vitest";
import type { RecordCounts } from "../../../src/engine/maintenance/maintenance.ts";
import { openSqliteStore } from "../../../src/engine/sqlite/store.ts";
import { SendctlError } from "../../../src/core/error.ts";
import { defaultIntegration } from "../../../src/engine/store/stored.ts";
import {
  contentsOf,
  maintenanceOf,
  newFolder,
  restore,
  someTime,
  thrownBy,
  withDatabase,
  withEngine,
  insertGroup,
} from "../support/engine-fixtures.ts";

/** Creates a database with records of every kind. */
async function stocked() {
  const { folder, file } = await newFolder();
  await withEngine(file, async (engine, store) => {
    await engine["sender-id.create"]({ body: { name: "ACME", purpose: "Orders" } });
    for (const name of ["Friends", "Family", "Others"]) {
      await engine["group.create"]({ body: { name } });
    }
    await engine["group.update"]({ path: { id: "1" }, body: { sender_id: "ACME" } });
    await store.insertIntegration("shop");
    await store.insertKey("shop", new Uint8Array(32), "last");
    await store.insertIntegration("empty");
  });
  withDatabase(file, (database) =>
    database.exec(
      "INSERT INTO contact (group_id, phone) VALUES (1, '+15550001'), (2, '+15550002')",
    ),
  );
  return { folder, file, backup: join(folder, "a.backup") };
}

const stock: RecordCounts = { integrations: 3, keys: 1, sender_ids: 1, groups: 3, contacts: 2 };

/** Returns all rows by table. */
function rowsOf(file: string): Record<string, unknown[]> {
  return withDatabase(file, (database) => {
    const tables = ["integration", "secret_key", "sender_id", "contact_group", "contact"];
    return Object.fromEntries(
      tables.map((table) => [table, database.prepare(`SELECT * FROM ${table} ORDER BY id`).all()]),
    );
  });
}

const noLeftovers = async (folder: string) =>
  expect((await readdir(folder)).filter((name) => name.startsWith("."))).toStrictEqual([]);

describe("info and check", () => {
  test("create nothing", async () => {
    const { folder, file } = await newFolder();
    expect(await maintenanceOf(file).info()).toMatchObject({ exists: false, groups: 0 });
    expect(await maintenanceOf(file).check()).toMatchObject({ exists: false, problem_count: 0 });
    expect(await readdir(folder)).toStrictEqual([]);
  });

  test("change nothing, whether the database is in use or not", async () => {
    const { folder, file } = await stocked();
    for (const inUse of [false, true]) {
      const store = inUse ? openSqliteStore(file, () => someTime) : undefined;
      await store?.insertIntegration("more");
      const before = await contentsOf(folder);
      expect(await maintenanceOf(file).info()).toMatchObject({
        exists: true,
        groups: 3,
        contacts: 2,
      });
      expect(await maintenanceOf(file).check()).toMatchObject({ exists: true, problem_count: 0 });
      expect(await contentsOf(folder)).toStrictEqual(before);
      await store?.close();
    }
  });

  test("accept an empty file as a database without records", async () => {
    const { file } = await newFolder();
    await writeFile(file, "");
    expect(await maintenanceOf(file).info()).toMatchObject({
      exists: true,
      bytes: 0,
      integrations: 0,
    });
    expect(await maintenanceOf(file).check()).toMatchObject({ exists: true, problem_count: 0 });
  });

  const damages: readonly (readonly [check: string, sql: string, says: RegExp])[] = [
    [
      "references",
      "DELETE FROM sender_id",
      /row 1 of contact_group refers to a missing row of sender_id/,
    ],
    ["references", "UPDATE contact SET group_id = 99 WHERE id = 1", /row 1 of contact refers/],
    [
      "totals",
      "UPDATE integration SET sender_id_total = 7 WHERE id = 1",
      /sender_id_total 7 but 1 rows/,
    ],
    [
      "totals",
      "UPDATE integration SET contact_group_total = 2",
      /contact_group_total 2 but 3 rows/,
    ],
    [
      "totals",
      "UPDATE contact_group SET contacts_count = -1 WHERE id = 3",
      /contacts_count -1 but 0 rows/,
    ],
    ["clock", "UPDATE clock SET newest = newest - 1", /the clock/],
    ["clock", "DELETE FROM clock", /the clock/],
    ["clock", "UPDATE clock SET newest = 253402300800000000", /the clock/],
    ["schema", "DROP TRIGGER contact_added", /trigger contact_added is missing/],
    ["schema", "DROP TABLE secret_key", /table secret_key is missing/],
    [
      "integrity",
      `PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage =
         (SELECT rootpage FROM sqlite_schema WHERE name = 'sender_id_of_integration')
       WHERE name = 'contact_group_of_integration'`,
      /never used|2nd reference/i,
    ],
  ];
  for (const [check, sql, says] of damages) {
    test(`finds: ${sql}`, async () => {
      const { folder, file } = await stocked();
      withDatabase(file, (database) => {
        database.unsafeMode(true);
        database.pragma("foreign_keys = OFF");
        database.exec(sql);
      });
      const before = await contentsOf(folder);
      const { problems, problem_count } = await maintenanceOf(file).check();
      expect(problems).toContainEqual({ check, detail: expect.stringMatching(says) });
      expect(problem_count).toBe(problems.length);
      expect(await contentsOf(folder)).toStrictEqual(before);
    });
  }

  test("counts all problems and lists the first hundred", async () => {
    const { file } = await stocked();
    withDatabase(file, (database) => {
      database.pragma("foreign_keys = OFF");
      database.exec(
        `WITH RECURSIVE n (i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 349)
         INSERT INTO contact (group_id, phone) SELECT i, '+1' FROM n`,
      );
    });
    const { problems, problem_count } = await maintenanceOf(file).check();
    expect([problem_count, problems.length]).toStrictEqual([250, 100]);
  });

  test("garbage in any page is found or leaves all rows readable", async () => {
    const { folder, file } = await stocked();
    const bytes = (await stat(file)).size;
    const copy = join(folder, "copy.db");
    const counts = countsOf(rowsOf(file));
    await assert(
      asyncProperty(integer({ min: 100, max: bytes - 64 }), async (offset) => {
        await copyFile(file, copy);
        const handle = await open(copy, "r+");
        await handle.write(Buffer.alloc(64, 0xa5), 0, 64, offset);
        await handle.close();
        // A check cannot detect garbage that leaves values valid.
        const isDetected = await hasProblem(copy);
        expect(isDetected || countsOf(rowsOf(copy)) === counts).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});

function countsOf(rows: Record<string, unknown[]>): string {
  return Object.values(rows)
    .map(({ length }) => length)
    .join(" ");
}

/** Returns whether a check finds a problem or refuses the file as unusable. */
async function hasProblem(file: string): Promise<boolean> {
  try {
    return (await maintenanceOf(file).check()).problem_count > 0;
  } catch (error) {
    if (error instanceof SendctlError && error.kind === "database") return true;
    throw error;
  }
}

describe("backup", () => {
  test("is a single private file with all records", async () => {
    const { folder, file, backup } = await stocked();
    // The database is in use, and its last write is only in the log.
    const store = openSqliteStore(file, () => someTime);
    await store.insertIntegration("late");
    const report = await maintenanceOf(file).backup(backup, false);
    const { size, mode } = await stat(backup);
    expect(report).toStrictEqual({ file: backup, bytes: size, ...stock, integrations: 4 });
    expect(mode & 0o777).toBe(0o600);
    expect(rowsOf(backup)).toStrictEqual(rowsOf(file));
    await store.close();
    expect(withDatabase(backup, (database) => database.pragma("journal_mode"))).toStrictEqual([
      { journal_mode: "delete" },
    ]);
    expect((await readdir(folder)).toSorted()).toStrictEqual(["a.backup", "sendctl.db"]);
  });

  test("of a damaged database is refused", async () => {
    const { folder, file, backup } = await stocked();
    withDatabase(file, (database) => {
      database.pragma("foreign_keys = OFF");
      database.exec("UPDATE contact_group SET sender_id = 9");
    });
    const thrown = await thrownBy(() => maintenanceOf(file).backup(backup, false));
    expect(thrown).toMatchObject({
      kind: "database",
      message: expect.stringContaining("(and 2 more)"),
    });
    expect(await readdir(folder)).toStrictEqual(["sendctl.db"]);
  });

  test("stopped in the middle leaves nothing", async () => {
    const { folder, file, backup } = await stocked();
    const stopper = new AbortController();
    const stopped = maintenanceOf(file, stopper.signal).backup(backup, false);
    stopper.abort("SIGTERM");
    expect(await thrownBy(() => stopped)).toMatchObject({ kind: "terminated" });
    expect(await readdir(folder)).toStrictEqual(["sendctl.db"]);
  });

  for (const replaces of [false, true]) {
    test(`four backups at once to one file ${replaces ? "all replace it" : "succeed once"}`, async () => {
      const databases = await Promise.all(
        ["One", "Two", "Three", "Four"].map(async (name) => {
          const { file } = await newFolder();
          await withEngine(file, (engine) => engine["group.create"]({ body: { name } }));
          return { file, name };
        }),
      );
      const { folder } = await newFolder();
      const target = join(folder, "a.backup");
      if (replaces) await writeFile(target, "an old backup");
      const outcomes = await Promise.allSettled(
        databases.map(({ file }) => maintenanceOf(file).backup(target, replaces)),
      );
      const succeeded = outcomes.flatMap(({ status }, index) =>
        status === "fulfilled" ? [databases[index]!.name] : [],
      );
      expect(succeeded).toHaveLength(replaces ? 4 : 1);
      const kinds = outcomes.flatMap((one) =>
        one.status === "rejected" ? [(one.reason as SendctlError).kind] : [],
      );
      expect(kinds).toEqual(replaces ? [] : ["usage", "usage", "usage"]);
      // The file is one complete backup, alone in its folder.
      const [{ name }] = rowsOf(target)["contact_group"] as [{ name: string }];
      expect(succeeded).toContain(name);
      expect(await maintenanceOf(target).check()).toMatchObject({ problem_count: 0 });
      expect(await readdir(folder)).toStrictEqual(["a.backup"]);
    });
  }

  test("does not replace a file created at its path meanwhile", async () => {
    const { folder, file, backup } = await stocked();
    const backedUp = maintenanceOf(file).backup(backup, false);
    writeFileSync(backup, "Milk, eggs\n");
    expect(await thrownBy(() => backedUp)).toMatchObject({ kind: "usage" });
    expect(await readFile(backup, "utf8")).toBe("Milk, eggs\n");
    expect((await readdir(folder)).toSorted()).toStrictEqual(["a.backup", "sendctl.db"]);
  });

  for (const ending of ["-wal", "-journal"]) {
    test(`is refused if an existing ${ending} file would become part of it`, async () => {
      const { file, backup } = await stocked();
      await writeFile(`${backup}${ending}`, "x");
      const thrown = await thrownBy(() => maintenanceOf(file).backup(backup, true));
      expect(thrown).toMatchObject({ kind: "usage" });
    });
  }
});

describe("restore", () => {
  test("restores all records, and ids and times continue", async () => {
    const { folder, file, backup } = await stocked();
    await maintenanceOf(file).backup(backup, false);
    const before = await contentsOf(folder);
    const rows = rowsOf(file);
    const create = (name: string): Promise<{ id: number; created_at: string }> =>
      withEngine(file, async (engine) => {
        const { envelope } = await engine["group.create"]({ body: { name } });
        return envelope!.data as { id: number; created_at: string };
      });
    let newest = "";
    for (let count = 0; count < 50; count += 1) {
      newest = (await create("x".repeat(255))).created_at;
    }
    await restore(file, backup);
    expect(rowsOf(file)).toStrictEqual(rows);
    const next = await create("Next");
    expect(next.id).toBe(54);
    // Rulings 21 and 22, with a constant clock.
    expect(next.created_at > newest).toBe(true);
    expect(await maintenanceOf(file).check()).toMatchObject({ problem_count: 0 });
    expect((await contentsOf(folder))[backup]).toBe(before[backup]);
    await noLeftovers(folder);
  });

  test("is refused while another process has the database open, even if that does nothing", async () => {
    const { folder, file, backup } = await stocked();
    await maintenanceOf(file).backup(backup, false);
    await withEngine(file, async (engine) => {
      await engine["group.create"]({ body: { name: "Since" } });
      const thrown = await thrownBy(() => restore(file, backup));
      expect(thrown).toMatchObject({ kind: "database", details: { database: "locked", file } });
      expect((thrown as Error).message).toContain("is in use, so nothing was restored");
      // It goes on.
      expect(await engine["group.create"]({ body: { name: "After" } })).toMatchObject({
        status: 201,
      });
    });
    await noLeftovers(folder);
    await restore(file, backup);
    expect(await maintenanceOf(file).check()).toMatchObject({ problem_count: 0 });
  });

  test("ids continue for kinds of record that are missing in the backup", async () => {
    const { folder, file } = await newFolder();
    const backup = join(folder, "a.backup");
    const createAll = () =>
      withEngine(file, async (_engine, store) => {
        const senderId = { purpose: "Orders", status: "PENDING" };
        return [
          await store.insertSenderId(defaultIntegration, { name: "ACME", ...senderId }),
          await insertGroup(store, defaultIntegration, { name: "Friends" }),
          await store.insertIntegration("shop"),
          await store.insertKey("shop", new Uint8Array(32), "last"),
        ];
      });
    await withEngine(file, () => maintenanceOf(file).backup(backup, false));
    const before = await createAll();
    await restore(file, backup);
    const after = await createAll();
    const newest = Math.max(...before.map((one) => one!.created_at));
    for (const [index, one] of after.entries()) {
      expect(one!.id).toBe(before[index]!.id + 1);
      expect(one!.created_at).toBeGreaterThan(newest);
    }
  });

  test("ids continue after those of the backup in a database that has given fewer", async () => {
    const { file, backup } = await stocked();
    await withEngine(file, (engine) => engine["group.delete"]({ path: { id: "3" } }));
    await maintenanceOf(file).backup(backup, false);
    await maintenanceOf(file).reset(false);
    const create = () =>
      withEngine(file, async (engine) => {
        const { envelope } = await engine["group.create"]({ body: { name: "Next" } });
        return (envelope!.data as { id: number }).id;
      });
    expect(await create()).toBe(1);
    await restore(file, backup);
    expect(await create()).toBe(4);
  });

  test("stopped before the replacement changes nothing", async () => {
    const { folder, file, backup } = await stocked();
    await maintenanceOf(file).backup(backup, false);
    withDatabase(file, (database) => database.exec("DELETE FROM contact"));
    const rows = rowsOf(file);
    const stopper = new AbortController();
    const confirm = async (): Promise<void> => stopper.abort("SIGINT");
    const thrown = await thrownBy(() =>
      maintenanceOf(file, stopper.signal).restore(backup, confirm),
    );
    expect(thrown).toMatchObject({ kind: "cancelled" });
    expect(rowsOf(file)).toStrictEqual(rows);
    await noLeftovers(folder);
  });

  test("refuses a source with records in its log", async () => {
    const { folder, file } = await stocked();
    const other = join(folder, "other.db");
    const rows = rowsOf(file);
    await withEngine(other, async (engine) => {
      await engine["group.create"]({ body: { name: "In the log" } });
      const thrown = await thrownBy(() => restore(file, other));
      expect(thrown).toMatchObject({ kind: "database", details: { database: "locked" } });
    });
    expect(rowsOf(file)).toStrictEqual(rows);
  });

  const damages: readonly (readonly [name: string, damage: (file: string) => Promise<unknown>])[] =
    [
      ["cut short", async (file) => truncate(file, 8192)],
      ["cut in a page", async (file) => truncate(file, (await stat(file)).size - 100)],
      ["not a database", async (file) => writeFile(file, "x".repeat(5000))],
      ["tiny", async (file) => writeFile(file, "x")],
      ["empty", async (file) => writeFile(file, "")],
      [
        "of another program",
        async (file) => withDatabase(file, (d) => d.pragma("application_id = 1")),
      ],
      ["newer", async (file) => withDatabase(file, (d) => d.pragma("user_version = 99"))],
      ["without a clock", async (file) => withDatabase(file, (d) => d.exec("DELETE FROM clock"))],
      [
        "with a time that no date has",
        async (file) =>
          withDatabase(file, (d) =>
            d.exec(`UPDATE contact_group SET created_at = 9e17 WHERE id = 3;
                    UPDATE clock SET newest = 9e17`),
          ),
      ],
      [
        "with a planted trigger",
        async (file) =>
          withDatabase(file, (d) =>
            d.exec(`CREATE TRIGGER planted AFTER INSERT ON contact_group
                    BEGIN DELETE FROM contact_group; END`),
          ),
      ],
      [
        "with a view that never ends in the place of a table",
        async (file) =>
          withDatabase(file, (d) =>
            d.exec(`PRAGMA foreign_keys = OFF; DROP TABLE contact;
                    CREATE VIEW contact AS WITH RECURSIVE n (id) AS
                      (SELECT 1 UNION ALL SELECT id + 1 FROM n)
                    SELECT id, 1 AS group_id, '' AS phone, '' AS first_name, '' AS birth_date FROM n`),
          ),
      ],
    ];
  test.each(damages)("check finds what is wrong with a database that is %s", async (_, damage) => {
    const { file } = await stocked();
    await damage(file);
    const check = maintenanceOf(file).check();
    const found = await check.then(
      ({ problem_count }) => problem_count,
      (error: unknown) => error,
    );
    const isEmpty = (await stat(file)).size === 0;
    expect(isEmpty || typeof found !== "number" || found > 0).toBe(true);
  });

  test("accepts a backup with another page size", async () => {
    const { file, backup } = await stocked();
    await maintenanceOf(file).backup(backup, false);
    const rows = rowsOf(file);
    withDatabase(backup, (d) => d.exec("PRAGMA page_size = 16384; VACUUM"));
    await maintenanceOf(file).reset(false);
    await restore(file, backup);
    expect(rowsOf(file)).toStrictEqual(rows);
  });

  for (const [name, damage] of damages) {
    test(`refuses a backup that is ${name} and changes nothing`, async () => {
      const { folder, file, backup } = await stocked();
      await maintenanceOf(file).backup(backup, false);
      await damage(backup);
      const before = await contentsOf(folder);
      const thrown = await thrownBy(() => restore(file, backup));
      expect(thrown).toMatchObject({ kind: "database", message: expect.stringContaining(backup) });
      expect(await contentsOf(folder)).toStrictEqual(before);
    });
  }

  test("never replaces a file that is not a database of sendctl", async () => {
    const { folder, file, backup } = await stocked();
    await maintenanceOf(file).backup(backup, false);
    const notes = join(folder, "notes.txt");
    await writeFile(notes, "Milk, eggs\n".repeat(100));
    const before = await contentsOf(folder);
    const thrown = await thrownBy(() => restore(notes, backup));
    expect(thrown).toMatchObject({ kind: "database" });
    expect(await contentsOf(folder)).toStrictEqual(before);
  });
});

describe("reset", () => {
  test("removes the database that a restore has kept, with its log", async () => {
    const { folder, file, backup } = await stocked();
    await maintenanceOf(file).backup(backup, false);
    await restore(file, backup);
    await writeFile(`${file}.before-restore-wal`, "x");
    await maintenanceOf(file).reset(false);
    expect((await readdir(folder)).toSorted()).toStrictEqual(["a.backup", "sendctl.db"]);
  });

  for (const keepKeys of [false, true]) {
    test(`deletes all records${keepKeys ? " except keys" : ""} and starts ids again`, async () => {
      const { file } = await stocked();
      // Another process has it open.
      await withEngine(file, async (engine, store) => {
        const { envelope: last } = await engine["group.create"]({ body: { name: "Last" } });
        const { created_at: newest } = last!.data as { created_at: string };
        expect(await maintenanceOf(file).reset(keepKeys)).toStrictEqual({ ...stock, groups: 4 });
        expect((await store.integrations()).map(({ name }) => name)).toStrictEqual(
          keepKeys ? ["shop", "default"] : ["default"],
        );
        expect(await store.keys()).toHaveLength(keepKeys ? 1 : 0);
        const { items, total } = await store.sliceOfGroups(defaultIntegration, 0, 10);
        expect({ items, total }).toStrictEqual({ items: [], total: 0 });
        const { envelope } = await engine["group.create"]({ body: { name: "First" } });
        const first = envelope!.data as { id: number; created_at: string };
        expect(first.id).toBe(1);
        // Ruling 22, with a constant clock.
        expect(first.created_at > newest).toBe(true);
        const next = await store.insertIntegration("next");
        expect(next!.id).toBe(keepKeys ? 4 : 2);
      });
      expect(await maintenanceOf(file).check()).toMatchObject({ problem_count: 0 });
      expect(await maintenanceOf(file).info()).toMatchObject({ groups: 1, contacts: 0 });
    });
  }
});
