import { readdir, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { createContacts } from "../../../src/engine/contacts/contacts.ts";
import { migrations } from "../../../src/engine/sqlite/connection/migrations.ts";
import { applicationId, openDatabase } from "../../../src/engine/sqlite/connection/open.ts";
import {
  newFolder,
  someTime,
  thrownBy,
  withDatabase,
  withEngine,
} from "../support/engine-fixtures.ts";

async function modeOf(path: string): Promise<string> {
  return ((await stat(path)).mode & 0o777).toString(8);
}

for (const umask of [0o000, 0o022, 0o077]) {
  test(`a new database is accessible only to its owner, under umask ${umask.toString(8)}`, async () => {
    const { folder } = await newFolder();
    const file = join(folder, "new", "sub folder", "sendctl.db");
    const before = process.umask(umask);
    try {
      await withEngine(file, async (engine) => {
        // This includes the files that SQLite creates beside it while it is open.
        await engine["group.create"]({ body: { name: "Friends" } });
        const names = await readdir(dirname(file));
        expect(names.toSorted()).toEqual(["sendctl.db", "sendctl.db-shm", "sendctl.db-wal"]);
        for (const name of names) expect(await modeOf(join(dirname(file), name))).toBe("600");
      });
    } finally {
      process.umask(before);
    }
    expect(await modeOf(dirname(file))).toBe("700");
    expect(await modeOf(dirname(dirname(file)))).toBe("700");
  });
}

test("unusual file names are used exactly as given", async () => {
  const { folder } = await newFolder();
  const names = ["a b.db", " a.db", "ü😀.db", "file:a.db?mode=ro", ":memory:", "%20#.db"];
  for (const name of names) {
    await withEngine(join(folder, name), (engine) =>
      engine["group.create"]({ body: { name: "Friends" } }),
    );
  }
  expect((await readdir(folder)).toSorted()).toEqual(names.toSorted());
});

test("a name that ends in white space never opens the trimmed name", async () => {
  const { folder } = await newFolder();
  // Rejecting the name is also correct.
  await thrownBy(() =>
    withEngine(join(folder, "a.db "), (engine) => engine["group.list"]({ query: {} })),
  );
  expect(await readdir(folder)).not.toContain("a.db");
});

test("an existing empty file becomes a database and keeps its mode", async () => {
  const { file } = await newFolder();
  await writeFile(file, "", { mode: 0o640 });
  await withEngine(file, (engine) => engine["group.create"]({ body: { name: "Friends" } }));
  expect(await modeOf(file)).toBe("640");
});

test("connections use durable commits and enforce foreign keys", async () => {
  const { file } = await newFolder();
  for (const time of ["created", "reopened"]) {
    const database = openDatabase(file);
    const names = ["journal_mode", "synchronous", "fullfsync", "foreign_keys"];
    const settings = names.map((name) => database.pragma(name, { simple: true }));
    database.close();
    // 2 is FULL: a commit is on the disk when it returns, with fullfsync on macOS, too.
    expect([time, ...settings]).toEqual([time, "wal", 2, 1, 1]);
  }
});

test("a database of version 1 is migrated with its records", async () => {
  const { file } = await newFolder();
  withDatabase(file, (database) => {
    database.exec(migrations[0]!);
    database.exec(`
      PRAGMA application_id = ${applicationId}; PRAGMA user_version = 1;
      INSERT INTO contact_group (integration_id, uuid, name, send_birthday, created_at)
      VALUES (1, 'u', 'Friends', 1, 0);
      INSERT INTO contact (group_id, phone, birth_date) VALUES (1, '+447911123401', '1990-02-28');
      INSERT INTO sender_id (integration_id, name, purpose, status, created_at)
      VALUES (1, 'Old', 'Orders', 'PENDING', 7), (1, 'Done', 'Orders', 'APPROVED', 8)`);
  });
  await withEngine(file, async (_engine, store) => {
    const found: unknown[] = [];
    const contacts = createContacts(store, 1, () => someTime);
    for await (const page of contacts.birthdays("2026-02-28", 1).pages) found.push(...page);
    expect(found).toHaveLength(1);
    expect((await store.sliceOfSenderIds(1, 0, 100)).items).toMatchObject([
      { name: "Done", status: "APPROVED" },
      { name: "Old", status: "PENDING" },
    ]);
    expect(await store.oldestPending()).toBe(7);
  });
});
