import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { copyDatabase, type CopyStep } from "../../../src/engine/maintenance/maintenance.ts";
import { sqliteCopySide } from "../../../src/engine/sqlite/bulk.ts";
import { openSqliteStore } from "../../../src/engine/sqlite/store.ts";
import {
  newFolder,
  someTime,
  thrownBy,
  withDatabase,
  withEngine,
  insertGroup,
} from "../support/engine-fixtures.ts";

async function newFilledDatabase() {
  const { folder, file } = await newFolder();
  await withEngine(file, async (_engine, store) => {
    await store.insertSenderId(1, { name: "ACME", purpose: "Orders", status: "APPROVED" });
    await store.insertIntegration("shop");
    await store.insertKey("shop", new Uint8Array(32).fill(7), "last");
    for (const name of ["One", "Two", "Three"]) await insertGroup(store, 1, { name });
    const contact = { phone: "+441", first_name: "Ada", birth_date: "--02-29" };
    await store.insertMany(1, "contact", [{ group_id: 2, ...contact }]);
    // The id and time of a deleted group are not reused.
    await store.deleteGroup(1, { id: 3 });
  });
  return { folder, file, target: join(folder, "copy.db") };
}

const copy = (from: string, to: string, step: CopyStep = async () => {}) =>
  copyDatabase(sqliteCopySide(from), sqliteCopySide(to), step);

const everything = (file: string) =>
  withEngine(file, async (_engine, store) => ({
    senderIds: await store.sliceOfSenderIds(1, 0, 10),
    groups: await store.sliceOfGroups(1, 0, 10),
    contacts: await store.contactsAfter(1, 2, "", 10),
    integrations: await store.integrations(),
    keys: await store.keys(),
    owner: await store.ownerOfKey(new Uint8Array(32).fill(7)),
  }));

test("a copy contains every record and continues the ids and times", async () => {
  const { file, target } = await newFilledDatabase();
  const report = await copy(file, target);
  expect(report).toMatchObject({ integrations: 2, keys: 1, sender_ids: 1, groups: 2, contacts: 1 });
  expect(await everything(target)).toEqual(await everything(file));
  const next = await withEngine(target, (_engine, store) =>
    insertGroup(store, 1, { name: "Next" }),
  );
  // Seven times were issued from someTime on, the last of them for the deleted group.
  expect(next).toMatchObject({ id: 4, created_at: someTime + 7 });
});

/** Creates a record of every kind. */
const createAll = (path: string, name: string) =>
  withEngine(path, async (_engine, store) => [
    await store.insertSenderId(1, { name, purpose: "Orders", status: "PENDING" }),
    await insertGroup(store, 1, { name }),
    await store.insertIntegration(name),
    await store.insertKey(name, new Uint8Array(32), "last"),
  ]);

test("a copy continues the ids of every kind of record, also of deleted ones", async () => {
  const { folder, file } = await newFolder();
  const last = await createAll(file, "one");
  withDatabase(file, (database) =>
    database.exec(`DELETE FROM sender_id; DELETE FROM contact_group; DELETE FROM secret_key;
      DELETE FROM integration WHERE name = 'one'`),
  );
  const target = join(folder, "copy.db");
  await copy(file, target);
  const next = await createAll(target, "two");
  expect(next.map((one) => one!.id)).toEqual(last.map((one) => one!.id + 1));
});

test("rejects a target that contains records, and does not change it", async () => {
  const { file, target } = await newFilledDatabase();
  await withEngine(target, (_engine, store) => insertGroup(store, 1, { name: "Own" }));
  expect(await thrownBy(() => copy(file, target))).toMatchObject({ kind: "usage" });
  const { items } = await withEngine(target, (_engine, store) => store.sliceOfGroups(1, 0, 10));
  expect(items.map(({ name }) => name)).toEqual(["Own"]);
});

test("a copy that is stopped leaves no file", async () => {
  const { folder, file, target } = await newFilledDatabase();
  const stop = new Error("stopped");
  const step: CopyStep = async (rows) => {
    if (rows > 3) throw stop;
  };
  expect(await thrownBy(() => copy(file, target, step))).toBe(stop);
  expect(await readdir(folder)).toEqual(["sendctl.db"]);
});

test("a failed copy does not remove records that others wrote to its target", async () => {
  const { file, target } = await newFilledDatabase();
  const others: ReturnType<typeof openSqliteStore>[] = [];
  onTestFinished(() => others[0]?.close());
  const step: CopyStep = async () => {
    others.push(openSqliteStore(target, () => someTime));
    throw new Error("stopped");
  };
  await thrownBy(() => copy(file, target, step));
  await insertGroup(others[0]!, 1, { name: "Acknowledged" });
  const { items } = await withEngine(target, (_engine, store) => store.sliceOfGroups(1, 0, 10));
  expect(items.map(({ name }) => name)).toEqual(["Acknowledged"]);
});
