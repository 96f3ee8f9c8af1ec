import { execFileSync } from "node:child_process";
import { chmod, copyFile, mkdir, symlink, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { DatabaseProblem } from "../../../src/contract/error.ts";
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

/** A file that is refused: what it is, how it is made, and its problem, or what that may be. */
type Refused = readonly [
  what: string,
  make: (file: string) => unknown,
  ...problems: DatabaseProblem[],
];

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

const text = (length: number) => (file: string) =>
  writeFile(file, "Dear diary\n".repeat(400).slice(0, length));
const tables =
  "CREATE TABLE moz_places (id INTEGER PRIMARY KEY); INSERT INTO moz_places VALUES (7);";

const cases: readonly Refused[] = [
  // Damaged is right as well: one byte is what SQLite itself takes for an empty file.
  ["a text of 1 character", text(1), "not_a_database", "damaged"],
  ...[2, 15, 16, 99, 100, 511, 512, 513, 4096, 4400].map((length): Refused => [
    `a text of ${length} characters`,
    text(length),
    "not_a_database",
  ]),
  ["a JSON file", (file) => writeFile(file, '{"sender_ids":[]}'), "not_a_database"],
  ["zeros", (file) => writeFile(file, Buffer.alloc(8192)), "not_a_database"],
  ["a folder", (file) => mkdir(file), "access"],
  [
    "a folder with files in it",
    async (file) => {
      await mkdir(file);
      await makeOurs(join(file, "sendctl.db"));
    },
    "access",
  ],
  ["a link to a folder", (file) => symlink(dirname(file), file), "access"],
  ["a link to itself", (file) => symlink(file, file), "access"],
  ["a link to what can't be made", (file) => symlink(`${file}.none/there`, file), "missing"],
  ["a pipe", (file) => execFileSync("mkfifo", [file]), "not_a_database"],
  [
    "marked read-only",
    async (file) => {
      await makeOurs(file);
      await chmod(file, 0o444);
    },
    "access",
  ],
  ["of a newer version", (file) => makeOursWith(file, "PRAGMA user_version = 999"), "newer"],
  [
    "of the next version",
    (file) => makeOursWith(file, `PRAGMA user_version = ${newestVersion + 1}`),
    "newer",
  ],
  [
    "of a newer version, killed",
    async (file) => {
      await makeOurs(`${file}.live`);
      await leaveBehind(file, "PRAGMA user_version = 999; UPDATE contact_group SET name = 'Kin'");
    },
    "newer",
  ],
  ["of an impossible version", (file) => makeOursWith(file, "PRAGMA user_version = -1"), "damaged"],
  ["of version 0, with tables", (file) => makeOursWith(file, "PRAGMA user_version = 0"), "damaged"],
  ["without a table", (file) => makeOursWith(file, "DROP TABLE contact_group"), "damaged"],
  ["another program's", (file) => makeTheirs(file, tables), "foreign"],
  [
    "another's, of our version",
    (file) => makeTheirs(file, `${tables} PRAGMA user_version = 1`),
    "foreign",
  ],
  [
    "another's, signed",
    (file) => makeTheirs(file, `${tables} PRAGMA application_id = 1`),
    "foreign",
  ],
  [
    "another's, signed, no tables",
    (file) => makeTheirs(file, "PRAGMA application_id = 1"),
    "foreign",
  ],
  [
    "another's, versioned, no tables",
    (file) => makeTheirs(file, "PRAGMA user_version = 1"),
    "foreign",
  ],
  [
    "another's with a WAL",
    (file) => makeTheirs(file, `PRAGMA journal_mode = WAL; ${tables}`),
    "foreign",
  ],
  ["another's, killed", (file) => leaveBehind(file, tables), "foreign"],
  [
    "another's, cut short",
    async (file) => {
      makeTheirs(file, tables);
      await truncate(file, 5000);
    },
    "foreign",
  ],
];

for (const [what, make, ...problems] of cases) {
  test(`refused and left alone: ${what}`, async () => {
    const { folder, file } = await newFolder();
    await make(file);
    const before = await contentsOf(folder);
    const opened = await thrownBy(() =>
      withEngine(file, (engine) => engine["group.list"]({ query: {} })),
    );
    expectDatabaseFailure(opened, file, ...problems);
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
      "access",
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
    "access",
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
