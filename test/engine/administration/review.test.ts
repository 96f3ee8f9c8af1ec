import { expect, test } from "vitest";
import { createApproval } from "../../../src/engine/administration/administration.ts";
import { type ReviewStore, type Store } from "../../../src/engine/store/store.ts";
import { defaultIntegration } from "../../../src/engine/store/stored.ts";
import { SendctlError } from "../../../src/core/error.ts";
import { pendingSince } from "../support/pending-since.ts";
import { newEngine, someTime } from "../support/engine-fixtures.ts";

async function add(store: Store, name: string, integration = defaultIntegration): Promise<void> {
  await store.insertSenderId(integration, { name, purpose: "Orders", status: "PENDING" });
}

async function statuses(store: Store, integration = defaultIntegration) {
  const { items } = await store.sliceOfSenderIds(integration, 0, 100);
  return Object.fromEntries(items.map(({ name, status }) => [name, status]));
}

test("approves PENDING sender IDs of all integrations by age, oldest first", async () => {
  const { database, store } = await newEngine();
  const other = await database.addIntegration("other");
  // Ruling 22: the times of an integration are one microsecond apart.
  await add(store, "A");
  await add(store, "X", other);
  await add(store, "B", other);
  const { created_at: time } = (await store.senderIdByName(other, "B"))!;
  await store.deleteSenderId(other, "X");
  await add(store, "C");
  await add(store, "D");
  await store.setSenderIdStatus(defaultIntegration, "C", "REJECTED");
  expect(await store.approvePendingBefore(someTime - 1, 100)).toBe(0);
  expect(await store.approvePendingBefore(someTime + 1, 1)).toBe(1);
  expect(await statuses(store)).toEqual({ A: "APPROVED", C: "REJECTED", D: "PENDING" });
  expect(await statuses(store, other)).toEqual({ B: "PENDING" });
  expect(await store.approvePendingBefore(time, 100)).toBe(1);
  expect(await statuses(store, other)).toEqual({ B: "APPROVED" });
  expect(await store.approvePendingBefore(Number.MAX_SAFE_INTEGER, 100)).toBe(1);
  expect(await statuses(store)).toEqual({ A: "APPROVED", C: "REJECTED", D: "APPROVED" });
});

test("sets a status only in its own integration", async () => {
  const { database, store } = await newEngine();
  const other = await database.addIntegration("other");
  await add(store, "A");
  expect(await store.setSenderIdStatus(other, "A", "APPROVED")).toBeUndefined();
  expect(await store.setSenderIdStatus(defaultIntegration, "a", "APPROVED")).toBeUndefined();
  expect(await store.setSenderIdStatus(defaultIntegration, "A", "APPROVED")).toMatchObject({
    name: "A",
    status: "APPROVED",
    created_at: someTime,
  });
});

test("retries while the database is unavailable, and reports a defect", async () => {
  const errors: unknown[] = [new SendctlError("database", "locked"), new Error("unexpected")];
  const reported: unknown[] = [];
  const { approvePendingBefore, oldest, ...pending } = pendingSince(0);
  const store: ReviewStore = {
    ...pending,
    approvePendingBefore: async (time) => {
      const error = errors.shift();
      if (error !== undefined) throw error as Error;
      return approvePendingBefore(time);
    },
  };
  const approval = createApproval(
    store,
    0,
    () => someTime,
    (error) => void reported.push(error),
  );
  for (let run = 0; run < 3; run += 1) await approval.approve();
  await approval.stop();
  expect(oldest()).toBeUndefined();
  expect(reported).toEqual([new Error("unexpected")]);
});

test("does not approve a sender ID before it has been PENDING for the given time", async () => {
  let now = 0;
  const store = pendingSince(0);
  const approval = createApproval(
    store,
    2000,
    () => now,
    (error) => {
      throw error;
    },
  );
  now = 1_999_000;
  await approval.approve();
  expect(store.oldest()).toBe(0);
  now = 2_000_000;
  await approval.approve();
  expect(store.oldest()).toBeUndefined();
  await approval.stop();
});

test("approves what is due, and nothing younger", async () => {
  const store = pendingSince(0, 1000);
  const approval = createApproval(
    store,
    2000,
    () => 2_000_000,
    () => {},
  );
  await approval.approve();
  expect(store.oldest()).toBe(1_000_000);
  await approval.stop();
});
