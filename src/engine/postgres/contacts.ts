import type { Contact, ContactColumn } from "../../contract/contacts.ts";
import type { ContactStore, GroupKey, StoredGroup, StoredImport } from "../store/store.ts";
import { groupColumns, storedGroup, type GroupRow } from "../store/rows.ts";
import { contactReads, isStorable, onExisting } from "../store/shared-methods.ts";
import type { Send } from "./connection.ts";
import { createQueries, withQueries, type Queries } from "./queries.ts";
import { byKey, findGroup, ofIntegration } from "./records.ts";

/** The contacts of the group $2 of the integration $1. */
const ofGroup = "integration_id = $1 AND group_id = $2";

const keepGroup = byKey(
  (found) => `SELECT ${groupColumns} FROM contact_group WHERE ${found} FOR KEY SHARE`,
);

/** Returns the store methods for contacts. */
export function contactMethods(queries: Queries): ContactStore {
  return {
    ...contactReads(
      queries,
      ofIntegration("one."),
      "integration_id = $1 AND group_id",
      `"right"(birth_date, 5)`,
    ),

    // On connections of its own: an import takes longer than requests may.
    importContacts: (...given) =>
      withQueries(createQueries(queries.address, importLimits), (own) =>
        putContacts(own, ...given),
      ),

    deleteContacts: (integration, key, phones) =>
      queries.transact(async (send) => {
        const group = await lockContacts(send, integration, key);
        if (group === undefined) return undefined;
        const deleted = await send<{ phone: string }>(
          `DELETE FROM contact WHERE ${ofGroup} AND phone = ANY($3::text[]) RETURNING phone`,
          integration,
          group.id,
          phones.filter(isStorable),
        );
        const after = await countContacts(send, integration, group, -deleted.length);
        return after && deleted.map(({ phone }) => phone);
      }),
  };
}

/** Rows per INSERT. `step` runs after each and can cancel the import. */
const rowsPerStep = 20_000;

/** Timeouts in milliseconds. Between two statements, progress is shown on a terminal, which may be slow. */
const importLimits = { statement: 300_000, idle: 60_000 };

/**
 * Imports contacts into a group in one transaction: loads them into a temporary table, which keeps the last of each phone,
 * and inserts them in its order. Only other changes of the contacts of this group, and its deletion, wait for it.
 */
async function putContacts(
  { transact }: Queries,
  ...[integration, key, contacts, columns, { step, beforeCommit }]: Parameters<
    ContactStore["importContacts"]
  >
): Promise<StoredImport | undefined> {
  const put = async (send: Send): Promise<StoredImport | undefined> => {
    const loaded = await load(send, contacts);
    const [phones] = await send<{ count: number }>("SELECT count(*) AS count FROM loaded");
    const total = phones!.count;
    const before = await lockContacts(send, integration, key);
    if (before === undefined) return undefined;
    const sql = putSql(columns);
    let [changed, inserted, last] = [0, 0, ""];
    for (let written = 0; written < total;) {
      const [done] = await send<Put>(sql, integration, before.id, last);
      changed += done!.changed;
      inserted += done!.inserted;
      written += done!.count;
      last = done!.last;
      await step?.(written, total);
    }
    const after = await countContacts(send, integration, before, inserted);
    if (after === undefined) return undefined;
    const imported = {
      group: after,
      added: inserted,
      updated: changed - inserted,
      unchanged: total - changed,
      duplicates: loaded - total,
    };
    beforeCommit?.(imported);
    return imported;
  };
  // The contacts can be read only once.
  return transact(put, 1);
}

/** Loads the contacts into a temporary table. Returns how many there were. */
async function load(send: Send, contacts: AsyncIterable<readonly Contact[]>): Promise<number> {
  await send(
    `CREATE TEMPORARY TABLE loaded (phone text COLLATE "C" PRIMARY KEY, first_name text,
       birth_date text) ON COMMIT DROP`,
  );
  // The contacts may come slowly.
  await send("SET LOCAL idle_in_transaction_session_timeout = 0");
  let count = 0;
  for await (const batch of contacts) {
    await send(
      `INSERT INTO loaded SELECT DISTINCT ON (phone) phone, first_name, birth_date
       FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY
         AS given (phone, first_name, birth_date, place)
       ORDER BY phone, place DESC
       ON CONFLICT (phone) DO UPDATE
         SET first_name = excluded.first_name, birth_date = excluded.birth_date`,
      batch.map(({ phone }) => phone),
      batch.map(({ first_name }) => first_name),
      batch.map(({ birth_date }) => birth_date),
    );
    count += batch.length;
  }
  await send(`SET LOCAL idle_in_transaction_session_timeout = ${importLimits.idle}`);
  await send("ANALYZE loaded");
  return count;
}

/** What one INSERT has done, in numbers of contacts, and the last phone that it looked at. */
interface Put {
  readonly count: number;
  readonly changed: number;
  readonly inserted: number;
  readonly last: string;
}

/** Inserts the next loaded contacts, after the phone $3. A row that is new has no earlier transaction. */
function putSql(columns: readonly ContactColumn[]): string {
  return `
    WITH given AS (SELECT * FROM loaded WHERE phone > $3 ORDER BY phone LIMIT ${rowsPerStep}), put AS (
      INSERT INTO contact (integration_id, group_id, phone, first_name, birth_date)
      SELECT $1::bigint, $2::bigint, phone, first_name, birth_date FROM given ORDER BY phone
      ON CONFLICT (integration_id, group_id, phone) ${onExisting(columns)}
      RETURNING xmax = 0 AS is_new
    )
    SELECT count(*) AS changed, count(*) FILTER (WHERE is_new) AS inserted,
      (SELECT count(*) FROM given) AS count, (SELECT max(phone) FROM given) AS last FROM put`;
}

/**
 * Finds a group and keeps others from changing its contacts until the end of the transaction. The group itself can be
 * updated meanwhile, so the lock is not its row.
 *
 * @returns undefined if the group does not exist
 */
async function lockContacts(
  send: Send,
  integration: number,
  key: GroupKey,
): Promise<StoredGroup | undefined> {
  const [unlocked] = await findGroup(send<GroupRow>, integration, key);
  if (unlocked === undefined) return undefined;
  await send("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", unlocked.uuid);
  // Contacts refer to the group, so it must not be deleted meanwhile.
  const [group] = await keepGroup(send<GroupRow>, integration, key);
  return group && storedGroup(group);
}

/**
 * Changes the number of contacts of a locked group, as the end of a transaction.
 *
 * @returns undefined if the group was deleted meanwhile
 */
async function countContacts(
  send: Send,
  integration: number,
  { id }: StoredGroup,
  difference: number,
): Promise<StoredGroup | undefined> {
  const [group] = await send<GroupRow>(
    `UPDATE contact_group SET contacts_count = contacts_count + $3
     WHERE integration_id = $1 AND id = $2 RETURNING ${groupColumns}`,
    integration,
    id,
    difference,
  );
  return group && storedGroup(group);
}
