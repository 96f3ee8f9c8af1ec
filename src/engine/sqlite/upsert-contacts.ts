import { setImmediate } from "node:timers/promises";
import type { Contact, ContactColumn } from "../../contract/contacts.ts";
import type { ImportOptions, StoredImport } from "../store/store.ts";
import { storedGroup, type GroupRow } from "../store/rows.ts";
import { onExisting } from "../store/shared-methods.ts";
import type { Database } from "./connection/open.ts";
import type { GroupStatement } from "./records.ts";

/**
 * Number of rows written between two checks for signals. Writing them takes a few hundredths of a
 * second.
 */
const rowsPerStep = 20_000;

/**
 * Inserts or updates the contacts of a group in three steps, so that other writers wait only for
 * the last: the contacts are staged in a temporary table, sorted by phone with the last of each,
 * and then written in one transaction. Writing in the order of the index halves the cost.
 *
 * @param database a connection that nothing else uses, and whose closing ends the transaction
 */
export async function upsertContacts(
  database: Database,
  [find, ...values]: GroupStatement,
  contacts: AsyncIterable<readonly Contact[]>,
  columns: readonly ContactColumn[],
  { step, beforeCommit }: ImportOptions,
): Promise<StoredImport | undefined> {
  const staged = await stage(database, contacts);
  const total = sort(database);
  const group = (): GroupRow | undefined =>
    database.prepare<(string | number)[]>(find).get(...values) as GroupRow | undefined;
  const upsert = database.prepare<[number, number, number]>(upsertSql(columns));

  database.exec("BEGIN IMMEDIATE");
  const before = group();
  if (before === undefined) return undefined;
  let changed = 0;
  for (let written = 0; written < total; written += rowsPerStep) {
    changed += upsert.run(before.id, written, written + rowsPerStep).changes;
    // Signals are delivered between two turns of the event loop.
    await setImmediate();
    await step?.(Math.min(total, written + rowsPerStep), total);
  }
  const after = storedGroup(group()!);
  const added = after.contacts_count - before.contacts_count;
  const imported = {
    group: after,
    added,
    updated: changed - added,
    unchanged: total - changed,
    duplicates: staged - total,
  };
  beforeCommit?.(imported);
  database.exec("COMMIT");
  return imported;
}

/**
 * Copies the contacts into a temporary table.
 *
 * @returns the number of contacts
 */
async function stage(
  database: Database,
  contacts: AsyncIterable<readonly Contact[]>,
): Promise<number> {
  database.exec("CREATE TEMP TABLE staged (phone TEXT, first_name TEXT, birth_date TEXT)");
  const insert = database.prepare<[string]>(
    "INSERT INTO staged SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?)",
  );
  let count = 0;
  for await (const batch of contacts) {
    const rows = batch.map(({ phone, first_name, birth_date }) => [phone, first_name, birth_date]);
    insert.run(JSON.stringify(rows));
    count += batch.length;
  }
  return count;
}

/**
 * Sorts the staged contacts by phone, with the last of each phone: beside max(), SQLite takes the
 * other columns from the same row.
 *
 * @returns the number of distinct phones
 */
function sort(database: Database): number {
  database.exec(`
    CREATE TEMP TABLE sorted (phone TEXT, first_name TEXT, birth_date TEXT);
    INSERT INTO sorted SELECT phone, first_name, birth_date FROM (
      SELECT phone, first_name, birth_date, max(rowid) FROM staged GROUP BY phone
    ) ORDER BY phone;
    DROP TABLE staged;`);
  return database.prepare("SELECT count(*) FROM sorted").pluck().get() as number;
}

function upsertSql(columns: readonly ContactColumn[]): string {
  return `INSERT INTO contact (group_id, phone, first_name, birth_date)
    SELECT ?, phone, first_name, birth_date FROM sorted WHERE rowid > ? AND rowid <= ?
    ON CONFLICT (group_id, phone) ${onExisting(columns)}`;
}
