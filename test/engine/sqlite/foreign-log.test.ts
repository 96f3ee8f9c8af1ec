import { copyFile, readFile, rename } from "node:fs/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { connect, isForeignLog } from "../../../src/engine/sqlite/connection/connect.ts";
import { openDatabase } from "../../../src/engine/sqlite/connection/open.ts";
import { examineDatabase } from "../../../src/engine/sqlite/maintenance/examine.ts";
import { openSqliteStore } from "../../../src/engine/sqlite/store.ts";
import { defaultIntegration, type Store } from "../../../src/engine/store/store.ts";
import {
  insertGroup,
  maintenanceOf,
  newFolder,
  someTime,
  thrownBy,
} from "../support/engine-fixtures.ts";

function open(file: string): Store {
  const store = openSqliteStore(file, () => someTime);
  onTestFinished(() => store.close());
  return store;
}

const createSender = (store: Store, name: string) =>
  store.insertSenderId(defaultIntegration, { name, purpose: "Orders", status: "PENDING" });

/** Copies a file and its log as a killed process leaves them behind. */
async function copyWithLog(from: string, to: string): Promise<void> {
  await copyFile(from, to);
  await copyFile(`${from}-wal`, `${to}-wal`);
}

/** Returns a database and its log as left behind by a killed process. */
async function killedDatabase(): Promise<{ file: string; live: Store; from: string }> {
  const { file: from } = await newFolder();
  const { file } = await newFolder();
  const live = open(from);
  await createSender(live, "ACME");
  await createSender(live, "Shop");
  await copyWithLog(from, file);
  return { file, live, from };
}

async function anotherDatabase(): Promise<string> {
  const { file } = await newFolder();
  const other = openSqliteStore(file, () => someTime);
  await createSender(other, "Other");
  await other.close();
  return file;
}

const replacements: readonly (readonly [
  what: string,
  create: (live: Store, from: string) => Promise<string>,
])[] = [
  ["another database", anotherDatabase],
  [
    "a new database",
    async () => {
      const { file } = await newFolder();
      openDatabase(file).close();
      return file;
    },
  ],
  [
    "a backup of it",
    async (_, from) => {
      const backup = `${from}.backup`;
      await maintenanceOf(from).backup(backup, false);
      return backup;
    },
  ],
];

describe.each(replacements)("%s that replaces a database without its log", (_, create) => {
  test("is reported and not changed, and no command applies the log", async () => {
    const { file, live, from } = await killedDatabase();
    await rename(await create(live, from), file);
    const before = await Promise.all([readFile(file), readFile(`${file}-wal`)]);

    const damaged = { kind: "database", database: "damaged", file };
    expect(await thrownBy(() => maintenanceOf(file).check())).toMatchObject(damaged);
    expect(await thrownBy(() => openDatabase(file))).toMatchObject(damaged);
    expect(await thrownBy(() => examineDatabase(file, 0, () => {}))).toMatchObject(damaged);
    expect(await thrownBy(() => maintenanceOf(file).info())).toMatchObject(damaged);
    expect(await Promise.all([readFile(file), readFile(`${file}-wal`)])).toEqual(before);
  });
});

function checkpoint(file: string, kind: string): void {
  const database = connect(file);
  database.pragma(`wal_checkpoint(${kind})`);
  database.close();
}

describe("a database and its own log", () => {
  /** Actions on a database, each of which leaves a different log. */
  const steps: readonly (readonly [
    what: string,
    act: (store: Store, file: string) => Promise<unknown>,
  ])[] = [
    ["a create", (store) => createSender(store, `Name ${Math.random()}`)],
    ["a delete", (store) => store.deleteSenderId(defaultIntegration, "ACME")],
    ["a delete without a match", (store) => store.deleteSenderId(defaultIntegration, "Nobody")],
    [
      "concurrent creates",
      (store) => Promise.all([createSender(store, "A"), createSender(store, "B")]),
    ],
    ["a reset", (_, file) => maintenanceOf(file).reset(true)],
    ["a checkpoint", async (_, file) => checkpoint(file, "PASSIVE")],
    ["a checkpoint that empties the log", async (_, file) => checkpoint(file, "TRUNCATE")],
    [
      "a partial checkpoint",
      async (store, file) => {
        const reader = connect(file);
        reader.exec("BEGIN");
        reader.prepare("SELECT * FROM clock").get();
        await createSender(store, `Later ${Math.random()}`);
        checkpoint(file, "PASSIVE");
        reader.exec("ROLLBACK");
        reader.close();
      },
    ],
  ];

  test.each(steps)("match after %s, and after a create", async (_, act) => {
    const { file: from } = await newFolder();
    const live = open(from);
    await createSender(live, "ACME");
    const { file } = await newFolder();
    for (const step of [act, (store: Store) => createSender(store, "Next")]) {
      await step(live, from);
      await copyWithLog(from, file);
      expect(isForeignLog(file)).toBe(false);
    }
    const { database, problem_count } = await maintenanceOf(file).check();
    expect({ database, problem_count }).toEqual({ database: file, problem_count: 0 });
  });
});

const phone = "+447911123401";
const given = ["phone"] as const;

async function* oneContact() {
  yield [{ phone: "+447911123402", first_name: null, birth_date: null }];
}

test.each<readonly [what: string, act: (live: Store) => Promise<unknown>]>([
  ["a create", (live) => createSender(live, "Shop")],
  ["an import", (live) => live.importContacts(1, { id: 1 }, oneContact(), given, {})],
  ["a deletion of contacts", (live) => live.deleteContacts(1, { id: 1 }, [phone])],
  ["a review", (live) => live.setSenderIdStatus(1, "ACME", "APPROVED")],
])("the log does not match a copy older than its last checkpoint, and %s", async (_, act) => {
  const { file: from } = await newFolder();
  const { file } = await newFolder();
  const live = open(from);
  await insertGroup(live, 1, { name: "Friends" });
  const { insertManyContacts } = await live.seeding();
  await insertManyContacts(1, [{ groupId: 1, phone, first_name: null, birth_date: null }]);
  await createSender(live, "ACME");
  checkpoint(from, "TRUNCATE");
  await copyFile(from, file);
  await act(live);
  checkpoint(from, "TRUNCATE");
  await createSender(live, "Next");
  await copyFile(`${from}-wal`, `${file}-wal`);
  expect(isForeignLog(file)).toBe(true);
});
