import { expect, onTestFinished, test, vi } from "vitest";
import { connect } from "../../../src/engine/sqlite/connection/connect.ts";
import { openSqliteStore } from "../../../src/engine/sqlite/store.ts";
import { newFolder, someTime } from "../support/engine-fixtures.ts";
import { uses } from "../support/store-uses.ts";
import { planOf } from "./query-plans.ts";

/**
 * SQLite plans without statistics, so the plans are the same for any number of rows. A search by equality in an index
 * reads only what belongs to one integration, group or record.
 */
test("every statement finds its records by an index", async () => {
  const { file } = await newFolder();
  const store = openSqliteStore(file, () => someTime);
  onTestFinished(() => store.close());
  const database = connect(file);
  onTestFinished(() => void database.close());
  const prototype = Object.getPrototypeOf(database) as typeof database;
  const spy = vi.spyOn(prototype, "prepare");
  onTestFinished(() => spy.mockRestore());
  await store.insertIntegration("small");
  const { id, uuid } = await store.insertGroup(2, {
    name: "Friends",
    send_birthday: true,
    send_holiday: null,
    birthday_message: null,
  });
  for (const use of Object.values(uses)) await use(store, { integration: 2, group: id, uuid });
  const sent = new Set(spy.mock.calls.map(([sql]) => sql));
  spy.mockRestore();

  const tables = /\b(?:contact|contact_group|sender_id)\b/;
  // The tables of one import are read as a whole.
  const own = [...sent].filter((sql) => tables.test(sql) && !/\b(?:sorted|taken)\b/.test(sql));
  expect(own.length).toBeGreaterThan(20);
  const slow = own.flatMap((sql) =>
    planOf(database.prepare.bind(database), sql)
      .filter((detail) => !isBounded(detail))
      .map((detail) => [sql, detail]),
  );
  expect(slow).toEqual([]);
});

/** Whether a step of a plan reads no more than what it looks for. */
function isBounded(detail: string): boolean {
  // This index has only what awaits a review.
  if (detail.includes("INDEX sender_id_pending")) return true;
  if (detail.startsWith("SEARCH")) return /\(\S+=\?/.test(detail);
  if (detail.startsWith("SCAN"))
    return !/^SCAN (?:contact|contact_group|sender_id|one)\b/.test(detail);
  return true;
}
