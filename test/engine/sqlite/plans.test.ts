import type Sqlite from "better-sqlite3";
import { expect, onTestFinished, test, vi } from "vitest";
import { connect } from "../../../src/engine/sqlite/database-file.ts";
import { openSqliteStore } from "../../../src/engine/sqlite/store.ts";
import { newFolder, someTime, insertGroup } from "../support/engine-fixtures.ts";
import { uses } from "../support/store-uses.ts";

/** Returns the steps of SQLite's plan for a statement, whose values are `?` or `$1`. */
function planOf(prepare: Sqlite.Database["prepare"], sql: string): string[] {
  const values = (sql.match(/\?/g) ?? []).map(() => null);
  const numbered = [...sql.matchAll(/\$(\d+)/g)].map(([, number]) => [number!, null]);
  const given = numbered.length > 0 ? [Object.fromEntries(numbered)] : values;
  const plan = prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...given) as { detail: string }[];
  return plan.map(({ detail }) => detail);
}

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
  const { id, uuid } = await insertGroup(store, 2, {
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
  const own = [...sent].filter((sql) => tables.test(sql) && !/\bstaged\b/.test(sql));
  expect(own.length).toBeGreaterThan(20);
  const plans = own.map((sql) => [sql, planOf(database.prepare.bind(database), sql)] as const);
  const slow = plans.flatMap(([sql, plan]) =>
    plan.filter((detail) => !isBounded(detail)).map((detail) => [sql, detail]),
  );
  expect(slow).toEqual([]);

  const planWith = (detail: RegExp): string[] =>
    plans.map(([, plan]) => plan.join("\n")).filter((plan) => detail.test(plan));
  expect(planWith(/INDEX contact_by_birthday \(group_id=\? AND <expr>=\?/)).toHaveLength(1);
  const pending = planWith(/INDEX sender_id_pending/);
  expect(pending).toHaveLength(1);
  expect(pending.filter((plan) => plan.includes("TEMP B-TREE"))).toEqual([]);
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
