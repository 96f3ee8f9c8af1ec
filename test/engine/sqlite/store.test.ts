import { chmod, readdir, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { migrations } from "../../../src/engine/sqlite/schema.ts";
import { openDatabase } from "../../../src/engine/sqlite/database-file.ts";
import {
  hashOf,
  insertGroup,
  newFolder,
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

/** A step after the first. */
const addNote = "ALTER TABLE contact_group ADD COLUMN note TEXT DEFAULT 'none'";

/** Opens a file with a second step, which it may lack, and closes it. */
function openWith(file: string, second: string): void {
  openDatabase(file, 0, [...migrations, second]).close();
}

/** Creates a database of the first step, with a record. Returns its path. */
async function oneGroup(): Promise<string> {
  const { file } = await newFolder();
  await withEngine(file, (_, store) => insertGroup(store, 1, { name: "Friends" }));
  return file;
}

describe("a second step of the schema", () => {
  test("is taken once, and keeps the records", async () => {
    const file = await oneGroup();
    for (const _ of ["first", "again"]) openWith(file, addNote);
    withDatabase(file, (database) => {
      expect(database.pragma("user_version", { simple: true })).toBe(migrations.length + 1);
      const groups = database.prepare("SELECT id, name, note FROM contact_group").all();
      expect(groups).toEqual([{ id: 1, name: "Friends", note: "none" }]);
    });
  });

  test("leaves the file as it was if it fails", async () => {
    const file = await oneGroup();
    const before = await hashOf(file);
    expect(() => openWith(file, `${addNote}; UPDATE clock SET newest = NULL`)).toThrow("NOT NULL");
    expect(await hashOf(file)).toBe(before);
    await withEngine(file, async (_, store) =>
      expect(await store.sliceOfGroups(1, 0, 9)).toMatchObject({ total: 1 }),
    );
  });

  test("is refused for a file that may only be read, unchanged", async () => {
    const file = await oneGroup();
    const before = await hashOf(file);
    await chmod(file, 0o400);
    const refused = await thrownBy(() => openWith(file, addNote));
    expect(refused).toMatchObject({
      details: { database: "access" },
      message: `the database ${file} is read-only`,
    });
    expect(await hashOf(file)).toBe(before);
  });

  test("makes a file that the first alone refuses, unchanged", async () => {
    const file = await oneGroup();
    openWith(file, addNote);
    const before = await hashOf(file);
    expect(await thrownBy(() => openDatabase(file))).toMatchObject({
      details: { database: "newer" },
    });
    expect(await hashOf(file)).toBe(before);
  });
});
