import type {
  ContactStore,
  GivenColumns,
  GroupKey,
  StoredContact,
  StoredGroup,
  StoredImport,
} from "../store/store.ts";
import {
  type GroupRow,
  contactReads,
  groupColumns,
  isStorable,
  onExisting,
  storedGroup,
} from "../store/shared-methods.ts";
import type { Connection } from "./connection/connection.ts";
import type { Queries } from "./queries.ts";
import { allIds, integrations, ofIntegration } from "./conditions.ts";
import { findGroup } from "./records.ts";

/** The columns of the index of birthdays. */
const birthday = `(group_id, "right"(birth_date, 5), id)`;

/** Returns the store methods for contacts. */
export function contactMethods(queries: Queries): ContactStore {
  return {
    ...contactReads(queries, {
      groups: `${ofIntegration(allIds, "one.")} ORDER BY one.integration_id DESC, one.id DESC`,
      bornOn: `${birthday} > ($1::bigint, $2::text, 0)
        AND ${birthday} < ($1::bigint, $2::text, ${allIds}) ORDER BY group_id, "right"(birth_date, 5), id`,
    }),

    importContacts: (...given) => putContacts(queries, ...given),

    deleteContacts: (integration, key, phones) =>
      queries.transact(
        async (connection) => {
          const group = await lockContacts(connection, integration, key);
          if (group === undefined) return undefined;
          const deleted = await connection.send({
            text: "DELETE FROM contact WHERE group_id = $1 AND phone = ANY($2::text[]) RETURNING phone",
            values: [group.id, phones.filter(isStorable)],
          });
          const counted = await countContacts(connection, group, -deleted.rows.length);
          return counted && (deleted.rows as { phone: string }[]).map(({ phone }) => phone);
        },
        { isBeside: true },
      ),
  };
}

/** Rows per INSERT. `step` runs after each and can cancel the import. */
const rowsPerStep = 20_000;

/** Timeouts in milliseconds. Between two statements, progress is shown on a terminal, which may be slow. */
const limits = { statement: 300_000, idle: 60_000 };

/**
 * Imports contacts into a group in three steps: loads them into a temporary table, sorts them by phone keeping
 * the last of each, and inserts them in one transaction. Only other changes of the contacts of this group wait for it.
 */
async function putContacts(
  { transact, sweep }: Queries,
  ...[integration, key, contacts, given, step]: Parameters<ContactStore["importContacts"]>
): Promise<StoredImport | undefined> {
  let loaded = 0;
  let total = 0;

  async function prepare(connection: Connection): Promise<void> {
    loaded = await load(connection, contacts);
    total = await sort(connection);
  }

  async function put(connection: Connection): Promise<StoredImport | undefined> {
    const before = await lockContacts(connection, integration, key);
    if (before === undefined) return undefined;
    let changed = 0;
    let inserted = 0;
    for (let written = 0; written < total; written += rowsPerStep) {
      const { rows } = await connection.send({
        text: putSql(given),
        values: [before.id, written, written + rowsPerStep],
      });
      const [counts] = rows as { changed: number; inserted: number }[];
      changed += counts!.changed;
      inserted += counts!.inserted;
      await step(Math.min(total, written + rowsPerStep), total);
    }
    const after = await countContacts(connection, before, inserted);
    if (after === undefined) throw new GroupDeleted();
    return {
      group: after,
      added: inserted,
      updated: changed - inserted,
      unchanged: total - changed,
      duplicates: loaded - total,
    };
  }

  try {
    return await transact(put, { isBeside: true, limits, prepare });
  } catch (error) {
    if (!(error instanceof GroupDeleted)) throw error;
    // Until now, the sweep had to skip the group.
    await sweep();
    return undefined;
  }
}

/** Thrown to roll back an import into a group that was deleted meanwhile. */
class GroupDeleted extends Error {}

/** Loads the contacts into a temporary table. Returns their count. */
async function load(
  connection: Connection,
  contacts: AsyncIterable<readonly StoredContact[]>,
): Promise<number> {
  await connection.send({
    text: `CREATE TEMPORARY TABLE loaded (position bigint, phone text COLLATE "C",
             first_name text, birth_date text)`,
  });
  let count = 0;
  for await (const batch of contacts) {
    await connection.send({
      text: `INSERT INTO loaded SELECT $4::bigint + ordinality, phone, first_name, birth_date
             FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY
               AS given (phone, first_name, birth_date, ordinality)`,
      values: [
        batch.map(({ phone }) => phone),
        batch.map(({ firstName }) => firstName),
        batch.map(({ birthDate }) => birthDate),
        count,
      ],
    });
    count += batch.length;
  }
  return count;
}

/** Sorts the contacts by phone and keeps the last of each. Returns the number of phones. */
async function sort(connection: Connection): Promise<number> {
  const { count } = await connection.send({
    text: `CREATE TEMPORARY TABLE sorted AS
           SELECT row_number() OVER (ORDER BY phone) AS position, phone, first_name, birth_date
           FROM (SELECT DISTINCT ON (phone) phone, first_name, birth_date FROM loaded
                 ORDER BY phone, position DESC) AS last`,
  });
  await connection.send({ text: "CREATE INDEX sorted_position ON sorted (position)" });
  await connection.send({ text: "ANALYZE sorted" });
  return count;
}

/** Inserts a range of positions. Its row has the number of rows written and how many of them are new. */
function putSql(given: GivenColumns): string {
  return `
    WITH existing AS (
      SELECT count(*) AS count FROM sorted JOIN contact USING (phone)
      WHERE group_id = $1 AND position > $2 AND position <= $3
    ), put AS (
      INSERT INTO contact (group_id, phone, first_name, birth_date)
      SELECT $1::bigint, phone, first_name, birth_date FROM sorted
      WHERE position > $2 AND position <= $3 ORDER BY position
      ${onExisting(given)}
      RETURNING 1
    ), given AS (SELECT count(*) AS count FROM sorted WHERE position > $2 AND position <= $3)
    SELECT (SELECT count(*) FROM put) AS changed, given.count - existing.count AS inserted
    FROM given, existing`;
}

/**
 * Finds a group and keeps others from changing its contacts until the end of the transaction. The group itself can be
 * updated and deleted meanwhile, because the writers of groups must not wait. So the lock is a row with the group's
 * uuid, inserted and deleted in the same transaction: another one that inserts it waits.
 *
 * @returns undefined if the group does not exist
 */
async function lockContacts(
  connection: Connection,
  integration: number,
  key: GroupKey,
): Promise<StoredGroup | undefined> {
  const find = findGroup(integration, key);
  const found = await connection.send(find);
  const [unlocked] = found.rows as { uuid: string }[];
  if (unlocked === undefined) return undefined;
  await connection.send({
    text: "INSERT INTO writer (id, turn) VALUES ($1, 1)",
    values: [unlocked.uuid],
  });
  // Contacts refer to the group, so it must not be removed, only hidden.
  const locked = await connection.send({ ...find, text: `${find.text} FOR KEY SHARE` });
  const [group] = locked.rows as GroupRow[];
  return group && storedGroup(group);
}

/**
 * Changes the number of contacts of a locked group, as the end of a transaction. Writers of this group wait for it.
 *
 * @returns undefined if the group was deleted meanwhile
 */
async function countContacts(
  { send }: Connection,
  { id, uuid }: StoredGroup,
  difference: number,
): Promise<StoredGroup | undefined> {
  const statements = [
    { text: "SET LOCAL idle_in_transaction_session_timeout = 1000" },
    { text: "DELETE FROM writer WHERE id = $1", values: [uuid] },
    {
      text: `UPDATE contact_group SET contacts_count = contacts_count + $2
             WHERE id = $1 AND integration_id IN ${integrations}
             RETURNING ${groupColumns}`,
      values: [id, difference],
    },
  ];
  const results = await Promise.all(statements.map(send));
  const [group] = results.at(-1)!.rows as GroupRow[];
  return group && storedGroup(group);
}
