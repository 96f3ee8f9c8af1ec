import { expect, test } from "vitest";
import { migrations } from "../../../src/engine/sqlite/connection/migrations.ts";
import { openSqliteStore } from "../../../src/engine/sqlite/store.ts";
import { reviewMethods } from "../../../src/engine/store/shared-methods.ts";
import { newFolder, someTime } from "../support/engine-fixtures.ts";
import { plansOf } from "./query-plans.ts";
import { connect } from "../../../src/engine/sqlite/connection/connect.ts";

test("PENDING sender IDs are looked up by index", async () => {
  const plans = await plansOf(async (queries) => {
    const { oldestPending, approvePendingBefore } = reviewMethods(
      queries,
      (subquery) => `IN (${subquery})`,
    );
    await oldestPending();
    await approvePendingBefore(someTime, 5);
  });
  expect(plans).toHaveLength(2);
  for (const plan of plans) {
    expect(plan).toContain("INDEX sender_id_pending");
    expect(plan).not.toContain("TEMP B-TREE");
  }
});

test("a database of version 1 is migrated and keeps its sender IDs", async () => {
  const { file } = await newFolder();
  const database = connect(file);
  database.exec(migrations[0]!);
  database.exec(
    `INSERT INTO sender_id (integration_id, name, purpose, status, created_at)
     VALUES (1, 'Old', 'Orders', 'PENDING', 7), (1, 'Done', 'Orders', 'APPROVED', 8)`,
  );
  database.pragma("application_id = 0x5343544c");
  database.pragma("user_version = 1");
  database.close();
  const store = openSqliteStore(file, () => someTime);
  const { items } = await store.sliceOfSenderIds(1, 0, 100);
  expect(items).toMatchObject([
    { name: "Done", status: "APPROVED" },
    { name: "Old", status: "PENDING" },
  ]);
  expect(await store.oldestPending()).toBe(7);
  await store.close();
});
