import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import { createApproval } from "../../src/engine/approval.ts";
import { migrations } from "../../src/engine/sqlite/migrations.ts";
import { openSqliteStore } from "../../src/engine/sqlite/store.ts";
import { defaultIntegration, type ReviewStore, type Store } from "../../src/engine/store.ts";
import { Failure } from "../../src/failure.ts";
import { addIntegration, newEngine, newFolder, someTime, withDatabase } from "./fixture.ts";

async function add(store: Store, name: string, integration = defaultIntegration): Promise<void> {
  await store.insertSenderId(integration, { name, purpose: "Orders", status: "PENDING" });
}

async function statuses(store: Store, integration = defaultIntegration) {
  const { items } = await store.sliceOfSenderIds(integration, 0, 100);
  return Object.fromEntries(items.map(({ name, status }) => [name, status]));
}

test("what is PENDING is approved by its age, oldest first, in every integration", async () => {
  const { file, store } = await newEngine();
  const other = addIntegration(file, "other");
  expect(await store.oldestPending()).toBeUndefined();
  // One microsecond lies between each and the next: ruling 22.
  await add(store, "A");
  await add(store, "B", other);
  await add(store, "C");
  await add(store, "D");
  await store.setSenderIdStatus(defaultIntegration, "C", "REJECTED");
  const oldest = await store.oldestPending();
  expect(oldest).toBe(someTime);
  expect(await store.approvePendingBefore(someTime - 1, 100)).toBe(0);
  expect(await store.approvePendingBefore(someTime + 1, 1)).toBe(1);
  expect(await statuses(store)).toEqual({ A: "APPROVED", C: "REJECTED", D: "PENDING" });
  expect(await statuses(store, other)).toEqual({ B: "PENDING" });
  expect(await store.approvePendingBefore(someTime + 2, 100)).toBe(1);
  expect(await statuses(store, other)).toEqual({ B: "APPROVED" });
  expect(await store.approvePendingBefore(Number.MAX_SAFE_INTEGER, 100)).toBe(1);
  expect(await statuses(store)).toEqual({ A: "APPROVED", C: "REJECTED", D: "APPROVED" });
  expect(await store.oldestPending()).toBeUndefined();
});

test("a status is set in its own integration only", async () => {
  const { file, store } = await newEngine();
  const other = addIntegration(file, "other");
  await add(store, "A");
  expect(await store.setSenderIdStatus(other, "A", "APPROVED")).toBeUndefined();
  expect(await store.setSenderIdStatus(defaultIntegration, "a", "APPROVED")).toBeUndefined();
  expect(await store.setSenderIdStatus(defaultIntegration, "A", "APPROVED")).toMatchObject({
    name: "A",
    status: "APPROVED",
    createdAt: someTime,
  });
});

test("looking for what is PENDING passes by everything else", async () => {
  const { file } = await newEngine();
  const plans = withDatabase(file, (database) =>
    [
      "SELECT min(created_at) FROM sender_id WHERE status = 'PENDING'",
      `SELECT id FROM sender_id WHERE status = 'PENDING' AND created_at <= 5
       ORDER BY created_at LIMIT 5`,
    ].map((sql) => JSON.stringify(database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all())),
  );
  for (const plan of plans) {
    expect(plan).toContain("INDEX sender_id_pending");
    expect(plan).not.toContain("TEMP B-TREE");
  }
});

test("a database of the first version is brought up to date, and keeps what it holds", async () => {
  const { file } = await newFolder();
  const database = new Sqlite(file);
  database.exec(migrations[0]!);
  database.exec(
    `INSERT INTO sender_id (integration_id, name, purpose, status, created_at)
     VALUES (1, 'Old', 'Orders', 'PENDING', 7), (1, 'Done', 'Orders', 'APPROVED', 8)`,
  );
  database.pragma("application_id = 0x5343544c");
  database.pragma("user_version = 1");
  database.close();
  const store = openSqliteStore(file, () => someTime);
  expect(await statuses(store)).toEqual({ Old: "PENDING", Done: "APPROVED" });
  expect(await store.oldestPending()).toBe(7);
  await store.close();
});

test("a database that can't be used just now is tried again; a defect is told", async () => {
  const errors: unknown[] = [new Failure("database", "locked"), new Error("unforeseen")];
  const told: unknown[] = [];
  let approved = 0;
  const store: ReviewStore = {
    setSenderIdStatus: async () => undefined,
    oldestPending: async () => {
      const error = errors.shift();
      if (error !== undefined) throw error as Error;
      return approved === 0 ? someTime : undefined;
    },
    approvePendingBefore: async () => (approved += 1),
  };
  const approval = createApproval(
    store,
    0,
    () => someTime,
    (error) => void told.push(error),
  );
  for (let look = 0; look < 3; look += 1) await approval.approve();
  await approval.stop();
  expect(approved).toBe(1);
  expect(told).toEqual([new Error("unforeseen")]);
});
