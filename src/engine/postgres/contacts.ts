import type { Contact, ContactColumn } from "../../contract/contacts.ts";
import type { ContactStore, GroupKey, StoredGroup, StoredImport } from "../store/store.ts";
import {
  type GroupRow,
  contactReads,
  groupColumns,
  isStorable,
  onExisting,
  storedGroup,
} from "../store/shared-methods.ts";
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
 * Imports contacts into a group in one transaction: loads them into a temporary table, sorts them by phone keeping the
 * last of each, and inserts them. Only other changes of the contacts of this group, and its deletion, wait for it.
 */
async function putContacts(
  { transact }: Queries,
  ...[integration, key, contacts, columns, { step, beforeCommit }]: Parameters<
    ContactStore["importContacts"]
  >
): Promise<StoredImport | undefined> {
  const put = async (send: Send): Promise<StoredImport | undefined> => {
    const loaded = await load(send, contacts);
    const total = await sort(send);
    const before = await lockContacts(send, integration, key);
    if (before === undefined) return undefined;
    let changed = 0;
    let inserted = 0;
    const sql = putSql(columns);
    for (let written = 0; written < total; written += rowsPerStep) {
      const last = written + rowsPerStep;
      const range = [integration, before.id, written, last] as const;
      const [counts] = await send<{ changed: number; inserted: number }>(sql, ...range);
      changed += counts!.changed;
      inserted += counts!.inserted;
      await step?.(Math.min(total, last), total);
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

/** Loads the contacts into a temporary table. Returns their count. */
async function load(send: Send, contacts: AsyncIterable<readonly Contact[]>): Promise<number> {
  await send(
    `CREATE TEMPORARY TABLE loaded (position bigint, phone text COLLATE "C",
       first_name text, birth_date text) ON COMMIT DROP`,
  );
  // The contacts may come slowly.
  await send("SET LOCAL idle_in_transaction_session_timeout = 0");
  let count = 0;
  for await (const batch of contacts) {
    await send(
      `INSERT INTO loaded SELECT $4::bigint + ordinality, phone, first_name, birth_date
       FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY
         AS given (phone, first_name, birth_date, ordinality)`,
      batch.map(({ phone }) => phone),
      batch.map(({ first_name }) => first_name),
      batch.map(({ birth_date }) => birth_date),
      count,
    );
    count += batch.length;
  }
  await send(`SET LOCAL idle_in_transaction_session_timeout = ${importLimits.idle}`);
  return count;
}

/** Sorts the contacts by phone and keeps the last of each. Returns the number of phones. */
async function sort(send: Send): Promise<number> {
  await send(
    `CREATE TEMPORARY TABLE sorted ON COMMIT DROP AS
     SELECT row_number() OVER (ORDER BY phone) AS position, phone, first_name, birth_date
     FROM (SELECT DISTINCT ON (phone) phone, first_name, birth_date FROM loaded
           ORDER BY phone, position DESC) AS last`,
  );
  await send("CREATE INDEX sorted_position ON sorted (position)");
  await send("ANALYZE sorted");
  const [phones] = await send<{ count: number }>("SELECT count(*) AS count FROM sorted");
  return phones!.count;
}

/** Inserts a range of positions. Its row has the number of rows written and how many of them are new. */
function putSql(columns: readonly ContactColumn[]): string {
  return `
    WITH existing AS (
      SELECT count(*) AS count FROM sorted JOIN contact USING (phone)
      WHERE ${ofGroup} AND position > $3 AND position <= $4
    ), put AS (
      INSERT INTO contact (integration_id, group_id, phone, first_name, birth_date)
      SELECT $1::bigint, $2::bigint, phone, first_name, birth_date FROM sorted
      WHERE position > $3 AND position <= $4 ORDER BY position
      ON CONFLICT (integration_id, group_id, phone) ${onExisting(columns)}
      RETURNING 1
    ), given AS (SELECT count(*) AS count FROM sorted WHERE position > $3 AND position <= $4)
    SELECT (SELECT count(*) FROM put) AS changed, given.count - existing.count AS inserted
    FROM given, existing`;
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
