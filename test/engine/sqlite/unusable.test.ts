import { execFileSync } from "node:child_process";
import { chmod, copyFile, mkdir, symlink, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { newestVersion } from "../../../src/engine/sqlite/maintenance/examine.ts";
import { openSqliteStore } from "../../../src/engine/sqlite/store.ts";
import {
  contentsOf,
  expectDatabaseFailure,
  newFolder,
  someTime,
  thrownBy,
  withDatabase,
  withEngine,
} from "../support/engine-fixtures.ts";
import { connect } from "../../../src/engine/sqlite/connection/connect.ts";

/** A file that is refused: what it is, how it is made, and what has to be said of it. */
type Refused = readonly [what: string, make: (file: string) => unknown, says: RegExp];

const makeOurs = (file: string): Promise<unknown> =>
  withEngine(file, (engine) => engine["group.create"]({ body: { name: "Friends" } }));

async function makeOursWith(file: string, sql: string): Promise<void> {
  await makeOurs(file);
  withDatabase(file, (database) => database.exec(sql));
}

/** Another program's database. */
function makeTheirs(file: string, sql: string): void {
  withDatabase(file, (database) => database.exec(sql));
}

/** As a program leaves its database behind that was killed: its newest records are in the -wal file. */
async function leaveBehind(file: string, sql: string): Promise<void> {
  const database = connect(`${file}.live`);
  try {
    database.pragma("journal_mode = WAL");
    database.exec(sql);
    await copyFile(`${file}.live`, file);
    await copyFile(`${file}.live-wal`, `${file}-wal`);
  } finally {
    database.close();
  }
}

const anothers = /belongs to another program: name another file/;
const newer = /newer sendctl: update sendctl/;
const damaged = /damaged .*: restore it from a backup/;
const noDatabase = /is not a database: name another file/;
const noFolder = /part of its path is no folder: name another file/;

const text = (length: number) => (file: string) =>
  writeFile(file, "Dear diary\n".repeat(400).slice(0, length));
const tables =
  "CREATE TABLE moz_places (id INTEGER PRIMARY KEY); INSERT INTO moz_places VALUES (7);";

const cases: readonly Refused[] = [
  // Damaged is right as well: one byte is what SQLite itself takes for an empty file.
  ["a text of 1 character", text(1), /is not a database|damaged/],
  ...[2, 15, 16, 99, 100, 511, 512, 513, 4096, 4400].map((length): Refused => [
    `a text of ${length} characters`,
    text(length),
    noDatabase,
  ]),
  ["a JSON file", (file) => writeFile(file, '{"sender_ids":[]}'), noDatabase],
  ["zeros", (file) => writeFile(file, Buffer.alloc(8192)), noDatabase],
  ["a folder", (file) => mkdir(file), /is a folder: name a file/],
  [
    "a folder with files in it",
    async (file) => {
      await mkdir(file);
      await makeOurs(join(file, "sendctl.db"));
    },
    /is a folder: name a file/,
  ],
  ["a link to a folder", (file) => symlink(dirname(file), file), /is a folder: name a file/],
  ["a link to itself", (file) => symlink(file, file), /links lead in a circle: name another file/],
  ["a link to what can't be made", (file) => symlink(`${file}.none/there`, file), /: /],
  ["a pipe", (file) => execFileSync("mkfifo", [file]), /: /],
  [
    "marked read-only",
    async (file) => {
      await makeOurs(file);
      await chmod(file, 0o444);
    },
    /is read-only: make the file writable/,
  ],
  ["of a newer version", (file) => makeOursWith(file, "PRAGMA user_version = 999"), newer],
  [
    "of the next version",
    (file) => makeOursWith(file, `PRAGMA user_version = ${newestVersion + 1}`),
    newer,
  ],
  [
    "of a newer version, killed",
    async (file) => {
      await makeOurs(`${file}.live`);
      await leaveBehind(file, "PRAGMA user_version = 999; UPDATE contact_group SET name = 'Kin'");
    },
    newer,
  ],
  ["of an impossible version", (file) => makeOursWith(file, "PRAGMA user_version = -1"), damaged],
  ["of version 0, with tables", (file) => makeOursWith(file, "PRAGMA user_version = 0"), damaged],
  ["without a table", (file) => makeOursWith(file, "DROP TABLE contact_group"), damaged],
  ["another program's", (file) => makeTheirs(file, tables), anothers],
  [
    "another's, of our version",
    (file) => makeTheirs(file, `${tables} PRAGMA user_version = 1`),
    anothers,
  ],
  [
    "another's, signed",
    (file) => makeTheirs(file, `${tables} PRAGMA application_id = 1`),
    anothers,
  ],
  [
    "another's, signed, no tables",
    (file) => makeTheirs(file, "PRAGMA application_id = 1"),
    anothers,
  ],
  [
    "another's, versioned, no tables",
    (file) => makeTheirs(file, "PRAGMA user_version = 1"),
    anothers,
  ],
  [
    "another's with a WAL",
    (file) => makeTheirs(file, `PRAGMA journal_mode = WAL; ${tables}`),
    anothers,
  ],
  ["another's, killed", (file) => leaveBehind(file, tables), anothers],
  [
    "another's, cut short",
    async (file) => {
      makeTheirs(file, tables);
      await truncate(file, 5000);
    },
    /: /,
  ],
];

for (const [what, make, says] of cases) {
  test(`refused and left alone: ${what}`, async () => {
    const { folder, file } = await newFolder();
    await make(file);
    const before = await contentsOf(folder);
    const opened = await thrownBy(() =>
      withEngine(file, (engine) => engine["group.list"]({ query: {} })),
    );
    expectDatabaseFailure(opened, file, says);
    expect(await contentsOf(folder)).toEqual(before);
  });
}

for (const parts of [["file"], ["file", "deep", "down"]]) {
  test(`refused and left alone: a path through a file, ${parts.length} deep`, async () => {
    const { folder } = await newFolder();
    await writeFile(join(folder, "file"), "Dear diary");
    const before = await contentsOf(folder);
    const file = join(folder, ...parts, "sendctl.db");
    expectDatabaseFailure(
      await thrownBy(() => openSqliteStore(file, () => someTime)),
      file,
      noFolder,
    );
    expect(await contentsOf(folder)).toEqual(before);
  });
}

test("refused: a name that no disk takes", async () => {
  const { folder } = await newFolder();
  const file = join(folder, "x".repeat(300));
  expectDatabaseFailure(
    await thrownBy(() => openSqliteStore(file, () => someTime)),
    file,
    /too long/,
  );
  expect(await contentsOf(folder)).toEqual({});
});

test("an empty file is a new database", async () => {
  const { file } = await newFolder();
  await writeFile(file, "");
  await makeOurs(file);
  const { envelope } = await withEngine(file, (engine) => engine["group.list"]({ query: {} }));
  expect(envelope).toMatchObject({ data: { total: 1 } });
});
