import { setImmediate } from "node:timers/promises";
import type { GivenColumns, GroupKey, StoredContact, StoredImport } from "../store.ts";
import type { Database } from "./connection/open.ts";
import { storedGroup, type GroupRow } from "../rows.ts";
import { groupById, groupByUuid } from "./rows.ts";
import { countTurn } from "./connection/mark.ts";

export interface ContactWriter {
  readonly integration: number;
  readonly key: GroupKey;
  readonly contacts: AsyncIterable<readonly StoredContact[]>;
  readonly given: GivenColumns;
  readonly step: (written: number, total: number) => Promise<void>;
}

/** Rows that are put in between two looks at whether to go on: some hundredths of a second. */
const rowsAStep = 20_000;

/**
 * Puts contacts into a group, in three steps, so that other writers wait for the last alone: they are
 * kept in a table that only this connection sees, sorted by phone with the last of each, and then put in
 * within one transaction. In the order of the index, that costs half of what it does in any other.
 *
 * @param database a connection that nobody else uses meanwhile
 */
export async function putContacts(
  database: Database,
  { integration, key, contacts, given, step }: ContactWriter,
): Promise<StoredImport | undefined> {
  const taken = await take(database, contacts);
  const total = sort(database);
  const find = database.prepare<[number | string, number]>("id" in key ? groupById : groupByUuid);
  const group = (): GroupRow | undefined =>
    find.get("id" in key ? key.id : key.uuid, integration) as GroupRow | undefined;
  const put = database.prepare<[number, number, number]>(putSql(given));

  database.exec("BEGIN IMMEDIATE");
  try {
    const before = group();
    if (before === undefined) {
      database.exec("ROLLBACK");
      return undefined;
    }
    let changed = 0;
    for (let written = 0; written < total; written += rowsAStep) {
      changed += put.run(before.id, written, written + rowsAStep).changes;
      // A signal is heard between two turns of the event loop.
      await setImmediate();
      await step(Math.min(total, written + rowsAStep), total);
    }
    const after = storedGroup(group()!);
    if (changed > 0) database.exec(`UPDATE clock SET ${countTurn}`);
    database.exec("COMMIT");
    const added = after.contacts_count - before.contacts_count;
    const updated = changed - added;
    const unchanged = total - changed;
    return { group: after, added, updated, unchanged, duplicates: taken - total };
  } catch (error) {
    if (database.inTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

/** How many there are. */
async function take(
  database: Database,
  contacts: AsyncIterable<readonly StoredContact[]>,
): Promise<number> {
  database.exec("CREATE TEMP TABLE taken (phone TEXT, first_name TEXT, birth_date TEXT)");
  const insert = database.prepare<[string]>(
    "INSERT INTO taken SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?)",
  );
  let count = 0;
  for await (const some of contacts) {
    const rows = some.map(({ phone, firstName, birthDate }) => [phone, firstName, birthDate]);
    insert.run(JSON.stringify(rows));
    count += some.length;
  }
  return count;
}

/** How many phones there are. Beside max(), SQLite takes the other columns from the same row. */
function sort(database: Database): number {
  database.exec(`
    CREATE TEMP TABLE sorted (phone TEXT, first_name TEXT, birth_date TEXT);
    INSERT INTO sorted SELECT phone, first_name, birth_date FROM (
      SELECT phone, first_name, birth_date, max(rowid) FROM taken GROUP BY phone
    ) ORDER BY phone;
    DROP TABLE taken;`);
  return database.prepare("SELECT count(*) FROM sorted").pluck().get() as number;
}

function putSql({ firstName, birthDate }: GivenColumns): string {
  const columns = [...(firstName ? ["first_name"] : []), ...(birthDate ? ["birth_date"] : [])];
  const sets = columns.map((column) => `${column} = excluded.${column}`).join(", ");
  const differs = columns
    .map((column) => `contact.${column} IS NOT excluded.${column}`)
    .join(" OR ");
  const otherwise = columns.length === 0 ? "NOTHING" : `UPDATE SET ${sets} WHERE ${differs}`;
  return `INSERT INTO contact (group_id, phone, first_name, birth_date)
    SELECT ?, phone, first_name, birth_date FROM sorted WHERE rowid > ? AND rowid <= ?
    ON CONFLICT (group_id, phone) DO ${otherwise}`;
}
