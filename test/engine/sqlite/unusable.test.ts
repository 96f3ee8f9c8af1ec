import { execFileSync } from "node:child_process";
import { copyFile, mkdir, symlink, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { DatabaseProblem } from "../../../src/core/error.ts";
import { migrations } from "../../../src/engine/sqlite/schema.ts";
import {
  contentsOf,
  expectDatabaseFailure,
  newFolder,
  thrownBy,
  withDatabase,
  withEngine,
} from "../support/engine-fixtures.ts";
import { connect } from "../../../src/engine/sqlite/database-file.ts";

/** A file that is rejected: its description, how to create it under a path or a returned one, and its possible problems. */
type Refused = readonly [
  what: string,
  create: (file: string) => unknown,
  ...problems: DatabaseProblem[],
];

const createDatabase = (file: string): Promise<unknown> =>
  withEngine(file, (engine) => engine["group.create"]({ body: { name: "Friends" } }));

async function createDatabaseWith(file: string, sql: string): Promise<void> {
  await createDatabase(file);
  withDatabase(file, (database) => database.exec(sql));
}

/** Creates a database of another program. */
function createForeign(file: string, sql: string): void {
  withDatabase(file, (database) => database.exec(sql));
}

/**
 * Creates a database as a killed program leaves it behind: its newest records are in the -wal file.
 */
async function createKilled(file: string, sql: string): Promise<void> {
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
  // "damaged" is also correct: SQLite itself treats one byte as an empty file.
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
      await createDatabase(join(file, "sendctl.db"));
    },
    "access",
  ],
  ["a link to a folder", (file) => symlink(dirname(file), file), "access"],
  ["a link to itself", (file) => symlink(file, file), "access"],
  [
    "a link to a path that cannot be created",
    (file) => symlink(`${file}.none/there`, file),
    "missing",
  ],
  ["a pipe", (file) => execFileSync("mkfifo", [file]), "not_a_database"],
  ["of a newer version", (file) => createDatabaseWith(file, "PRAGMA user_version = 999"), "newer"],
  [
    "of the next version",
    (file) => createDatabaseWith(file, `PRAGMA user_version = ${migrations.length + 1}`),
    "newer",
  ],
  [
    "of a newer version, killed",
    async (file) => {
      await createDatabase(`${file}.live`);
      await createKilled(file, "PRAGMA user_version = 999; UPDATE contact_group SET name = 'Kin'");
    },
    "newer",
  ],
  [
    "of an impossible version",
    (file) => createDatabaseWith(file, "PRAGMA user_version = -1"),
    "damaged",
  ],
  [
    "of version 0, with tables",
    (file) => createDatabaseWith(file, "PRAGMA user_version = 0"),
    "damaged",
  ],
  ["without a table", (file) => createDatabaseWith(file, "DROP TABLE contact_group"), "damaged"],
  ["another program's", (file) => createForeign(file, tables), "foreign"],
  [
    "another program's, with our user_version",
    (file) => createForeign(file, `${tables} PRAGMA user_version = 1`),
    "foreign",
  ],
  [
    "another program's, with an application_id",
    (file) => createForeign(file, `${tables} PRAGMA application_id = 1`),
    "foreign",
  ],
  [
    "another program's, with an application_id and no tables",
    (file) => createForeign(file, "PRAGMA application_id = 1"),
    "foreign",
  ],
  [
    "another program's, with a user_version and no tables",
    (file) => createForeign(file, "PRAGMA user_version = 1"),
    "foreign",
  ],
  [
    "another program's, with a WAL",
    (file) => createForeign(file, `PRAGMA journal_mode = WAL; ${tables}`),
    "foreign",
  ],
  ["another program's, killed", (file) => createKilled(file, tables), "foreign"],
  [
    "another program's, truncated",
    async (file) => {
      createForeign(file, tables);
      await truncate(file, 5000);
    },
    "foreign",
  ],
  [
    "a path through a file",
    async (file) => {
      await writeFile(file, "Dear diary");
      return join(file, "sendctl.db");
    },
    "access",
  ],
  [
    "a path through a file, and folders that do not exist",
    async (file) => {
      await writeFile(file, "Dear diary");
      return join(file, "deep", "down", "sendctl.db");
    },
    "access",
  ],
  ["a name too long for any disk", async (file) => join(dirname(file), "x".repeat(300)), "access"],
];

for (const [what, create, ...problems] of cases) {
  test(`rejected and left unchanged: ${what}`, async () => {
    const { folder, file: given } = await newFolder();
    const created = await create(given);
    const file = typeof created === "string" ? created : given;
    const before = await contentsOf(folder);
    const opened = await thrownBy(() =>
      withEngine(file, (engine) => engine["group.list"]({ query: {} })),
    );
    expectDatabaseFailure(opened, file, ...problems);
    expect(await contentsOf(folder)).toEqual(before);
  });
}
