import { importStaged, jsonRow, type ImportSession, type InsertRows } from "../store/bulk.ts";
import type { ContactStore, Store } from "../store/store.ts";
import {
  type GroupKey,
  type Microseconds,
  type StoredGroup,
  type StoredImport,
  groupColumns,
  tableColumns,
} from "../store/stored.ts";
import { contactReads, integrationDeleted, isStorable } from "../store/shared-methods.ts";
import type { Address } from "./address.ts";
import { bulkLimits, tables, type Send } from "./connection.ts";
import { createQueries, withQueries, type Queries } from "./queries.ts";
import { byKey, ofIntegration } from "./records.ts";

/** The contacts of the group $2 of the integration $1. */
const ofGroup = "integration_id = $1 AND group_id = $2";

/** Keeps others from changing a group's contacts, but not the group, until the transaction ends. */
const lockContacts = byKey(
  (found) => `
  SELECT pg_advisory_xact_lock(hashtextextended(uuid::text, 0)) FROM contact_group WHERE ${found}`,
);

/** Contacts refer to the group, so it must not be deleted meanwhile. */
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
      withQueries(createQueries(queries.address, bulkLimits), (own) => putContacts(own, ...given)),

    deleteContacts: (integration, key, phones) =>
      queries.transact(async (send) => {
        const group = await lockedGroup(send, integration, key);
        if (group === undefined) return undefined;
        const deleted = await send<{ phone: string }>(
          `DELETE FROM contact WHERE ${ofGroup} AND phone = ANY($3::text[]) RETURNING phone`,
          integration,
          group.id,
          phones.filter(isStorable),
        );
        await countContacts(send, integration, group.id, -deleted.length);
        return deleted.map(({ phone }) => phone);
      }),
  };
}

/** Imports contacts into a group. Only changes of its contacts, and its deletion, wait for it. */
async function putContacts(
  { transact, address }: Queries,
  ...given: Parameters<ContactStore["importContacts"]>
): Promise<StoredImport | undefined> {
  const [integration, key] = given;
  const put = async (send: Send): Promise<StoredImport | undefined> => {
    // The contacts may come slowly.
    await send("SET LOCAL idle_in_transaction_session_timeout = 0");
    const session: ImportSession = {
      send,
      insert: inserter(send, address),
      change: async (sql, ...values) => {
        const text = `WITH changed AS (${sql} RETURNING 1) SELECT count(*) AS count FROM changed`;
        return (await send<{ count: number }>(text, ...values))[0]!.count;
      },
      owner: ["integration_id", "group_id"],
      lock: async () => {
        await send(`SET LOCAL idle_in_transaction_session_timeout = ${bulkLimits.idle}`);
        await send("ANALYZE staged");
        return lockedGroup(send, integration, key);
      },
      countsContacts: false,
      counted: (group, added) => countContacts(send, integration, group, added),
    };
    return importStaged(session, ...given);
  };
  // The contacts can be read only once.
  return transact(put, 1);
}

/** Returns the function that inserts rows, as JSON, so that the table decides the types. */
export function inserter(send: Send, { schema }: Address): InsertRows {
  return async (table, columns, rows, end = "") => {
    const type = tables.includes(table) ? `${schema}.${table}` : table;
    const inserted = await send<{ id: number }>(
      `INSERT INTO ${table} (${columns.join()})
       SELECT ${columns.join()} FROM json_populate_recordset(NULL::${type}, $1) ${end}`,
      JSON.stringify(rows.map(jsonRow)),
    );
    return inserted.map(({ id }) => id);
  };
}

/** Finds a group, and locks it and its contacts. Undefined if it does not exist. */
async function lockedGroup(
  send: Send,
  integration: number,
  key: GroupKey,
): Promise<StoredGroup | undefined> {
  await lockContacts(send, integration, key);
  // A statement of its own sees what was committed before the lock.
  return (await keepGroup(send<StoredGroup>, integration, key))[0];
}

/** Changes the number of contacts of a locked group, as the end of a transaction. */
async function countContacts(
  send: Send,
  integration: number,
  group: number,
  difference: number,
): Promise<StoredGroup> {
  const [counted] = await send<StoredGroup>(
    `UPDATE contact_group SET contacts_count = contacts_count + $3
     WHERE integration_id = $1 AND id = $2 RETURNING ${groupColumns}`,
    integration,
    group,
    difference,
  );
  return counted!;
}

/** Adds the contacts of the ids $2 to the counts of their groups. */
const countAdded = `
  UPDATE contact_group SET contacts_count = contacts_count + added.count FROM (
    SELECT group_id, count(*) AS count FROM contact
    WHERE integration_id = $1 AND id = ANY($2::bigint[]) GROUP BY group_id
  ) AS added WHERE integration_id = $1 AND contact_group.id = added.group_id`;

/** Returns `insertMany` of a store. @param now time in microseconds since 1970 */
export function bulkInsert(
  { transact, address }: Queries,
  now: () => Microseconds,
): Store["insertMany"] {
  return (integration_id, table, rows) =>
    transact(async (send) => {
      const [owner] = await send<{ first: number }>(
        `UPDATE integration SET newest = greatest(newest + 1, $2::bigint) + $3
         WHERE id = $1 RETURNING newest - $3 AS first`,
        integration_id,
        Math.floor(now()),
        rows.length,
      );
      if (owner === undefined) throw integrationDeleted();
      const whole = rows.map((row, place) => {
        return { ...row, integration_id, created_at: owner.first + place };
      });
      const columns = tableColumns[table].filter((name) => name !== "id");
      const insert = inserter(send, address);
      const ids = await insert(table, columns, whole, "ON CONFLICT DO NOTHING RETURNING id");
      const count = `UPDATE integration SET ${table}_total = ${table}_total + cardinality($2::bigint[])
                     WHERE id = $1`;
      await send(table === "contact" ? countAdded : count, integration_id, ids);
      return ids;
    });
}
