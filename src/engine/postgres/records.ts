import { randomUUID } from "node:crypto";
import { groupFields } from "../../contract/resources.ts";
import {
  givenGroupColumns,
  groupColumns,
  senderIdColumns,
  storedGroup,
  storedSenderId,
  type GroupRow,
  type SenderIdRow,
} from "../rows.ts";
import type { GroupKey, Microseconds, NewGroup, RecordStore } from "../store.ts";
import type { Statement, Value } from "./connection/connection.ts";
import { isIntegration } from "./conditions.ts";
import { createPages, type Listed } from "./pages.ts";
import { isStorable, type Queries } from "./queries.ts";

const listedSenderIds: Listed<SenderIdRow, ReturnType<typeof storedSenderId>> = {
  table: "sender_id",
  columns: senderIdColumns,
  stored: storedSenderId,
};

const listedGroups: Listed<GroupRow, ReturnType<typeof storedGroup>> = {
  table: "contact_group",
  columns: groupColumns,
  stored: storedGroup,
};

/** Reserves the next time and the next id of a kind. Ruling 22: later than every other, even if `now` is behind. */
export function nextOf(kind: string, now: string, condition = "true"): string {
  return `UPDATE clock SET newest = greatest(newest + 1, ${now}::bigint), last_${kind} = last_${kind} + 1
          WHERE ${condition} RETURNING newest, last_${kind} AS id`;
}

/** Updates the totals of the integrations in the rows of `part`, a WITH query that inserted or deleted a record. */
function counted(table: string, difference: "+ 1" | "- 1", part: string): string {
  return `UPDATE integration SET ${table}_total = ${table}_total ${difference},
            ${table}_changes = ${table}_changes + 1
          WHERE id IN (SELECT integration_id FROM ${part})`;
}

/** Creates a statement that is sent as a prepared one. */
export function prepared(text: string, ...values: Value[]): Statement {
  return { text, values, isPrepared: true };
}

/** The integration $1, or one that does not exist if it was deleted, so that the insert fails. */
export const liveIntegration = `coalesce(
  (SELECT id FROM integration WHERE id = $1 AND ${isIntegration}), 0)`;

const insertSenderId = `
  WITH next AS (${nextOf(
    "sender_id",
    "$5",
    "NOT EXISTS (SELECT 1 FROM sender_id WHERE integration_id = $1 AND name = $2)",
  )}), added AS (
    INSERT INTO sender_id (id, integration_id, name, purpose, status, created_at)
    SELECT id, ${liveIntegration}, $2::text, $3::text, $4::text, newest FROM next
    RETURNING integration_id, ${senderIdColumns}
  ), counted AS (${counted("sender_id", "+ 1", "added")})
  SELECT ${senderIdColumns} FROM added`;

const deleteSenderId = `
  WITH gone AS (
    DELETE FROM sender_id WHERE integration_id = $1 AND name = $2 RETURNING integration_id
  ) ${counted("sender_id", "- 1", "gone")}`;

/** Returns the parameter of a column, with the type that SQL needs. */
function typed(column: keyof NewGroup, number: number): string {
  return `$${number}::${groupFields[column].type}`;
}

const insertGroup = `
  WITH next AS (${nextOf("group", "$3")}), added AS (
    INSERT INTO contact_group (id, integration_id, uuid, ${givenGroupColumns.join()}, created_at)
    SELECT id, ${liveIntegration}, $2::uuid, ${givenGroupColumns.map((column, index) => typed(column, index + 4)).join()}, newest
    FROM next
    RETURNING integration_id, ${groupColumns}
  ), counted AS (${counted("contact_group", "+ 1", "added")})
  SELECT ${groupColumns} FROM added`;

/** The condition for a group: its integration is $1, its id or uuid $2. */
export const findBy = (key: GroupKey): string =>
  "id" in key
    ? "integration_id = $1 AND id = $2::bigint"
    : "integration_id = $1 AND uuid = $2::uuid";

export const valueOf = (key: GroupKey): Value => ("id" in key ? key.id : key.uuid);

/** Each column has two parameters: whether it changes, and the new value. */
const changes = givenGroupColumns.map((column, index) => {
  const number = 2 * index + 6;
  return `${column} = CASE WHEN $${number}::boolean THEN ${typed(column, number + 1)} ELSE ${column} END`;
});

/** Ruling 14: finds the sender ID by its name, $4, or otherwise by its id, $5. */
const updateGroup = (key: GroupKey): string => `
  WITH sender AS (
    SELECT coalesce(
      (SELECT id FROM sender_id WHERE integration_id = $1 AND name = $4::text),
      (SELECT id FROM sender_id WHERE integration_id = $1 AND id = $5::bigint)
    ) AS id
  ), changed AS (
    UPDATE contact_group SET ${changes.join()},
      sender_id = CASE $3::text WHEN 'kept' THEN sender_id WHEN 'none' THEN NULL
                                ELSE (SELECT id FROM sender) END
    WHERE ${findBy(key)} AND ($3::text <> 'found' OR EXISTS (SELECT 1 FROM sender WHERE id IS NOT NULL))
    RETURNING ${groupColumns}
  )
  SELECT (SELECT count(*) FROM contact_group WHERE ${findBy(key)}) AS there, changed.*
  FROM (VALUES (1)) AS one (one) LEFT JOIN changed ON true`;

/** Hides the group. The sweep deletes it with its contacts. */
const deleteGroup = (key: GroupKey): string => `
  WITH gone AS (
    UPDATE contact_group SET integration_id = NULL WHERE ${findBy(key)}
    RETURNING $1::bigint AS integration_id, contacts_count
  ), counted AS (${counted("contact_group", "- 1", "gone")})
  SELECT contacts_count FROM gone`;

/** Maximum number of contacts of a group that is removed before its deletion is acknowledged. */
const maxRemovedAtOnce = 10_000;

/** Returns the store methods for sender IDs and groups. @param now time in microseconds since 1970 */
export function recordMethods(queries: Queries, now: () => Microseconds): RecordStore {
  const { row, write, sweep } = queries;
  const slice = createPages(queries);
  const time = (): number => Math.floor(now());

  return {
    insertSenderId: (integration, { name, purpose, status }) =>
      write({
        statements: [prepared(insertSenderId, integration, name, purpose, status, time())],
        result: ([added]) => {
          const [found] = added!.rows as SenderIdRow[];
          return found && storedSenderId(found);
        },
      }),

    sliceOfSenderIds: (integration, skip, count) =>
      slice(listedSenderIds, integration, skip, count),

    senderIdByName: async (integration, name) => {
      if (!isStorable(name)) return undefined;
      const found = await row<SenderIdRow>(
        `SELECT ${senderIdColumns} FROM sender_id WHERE integration_id = $1 AND name = $2`,
        integration,
        name,
      );
      return found && storedSenderId(found);
    },

    deleteSenderId: async (integration, name) =>
      isStorable(name) &&
      write({
        statements: [prepared(deleteSenderId, integration, name)],
        result: ([gone]) => gone!.count > 0,
      }),

    insertGroup: (integration, group) => {
      const given = givenGroupColumns.map((column) => group[column]);
      return write({
        statements: [prepared(insertGroup, integration, randomUUID(), time(), ...given)],
        result: ([added]) => storedGroup(added!.rows[0] as GroupRow),
      });
    },

    sliceOfGroups: (integration, skip, count) => slice(listedGroups, integration, skip, count),

    groupByKey: async (integration, key) => {
      const found = await row<GroupRow>(
        `SELECT ${groupColumns} FROM contact_group WHERE ${findBy(key)}`,
        integration,
        valueOf(key),
      );
      return found && storedGroup(found);
    },

    updateGroup: (integration, key, update) => {
      const sender = update.sender_id;
      const values: Value[] = [
        integration,
        valueOf(key),
        sender === undefined ? "kept" : sender === null ? "none" : "found",
        sender && isStorable(sender.name) ? sender.name : null,
        sender?.id ?? null,
        ...givenGroupColumns.flatMap((column) => [
          update[column] !== undefined,
          update[column] ?? null,
        ]),
      ];
      return write({
        statements: [prepared(updateGroup(key), ...values)],
        result: ([changed]) => {
          const [found] = changed!.rows as ({ there: number } & GroupRow)[];
          if (found!.there === 0) return "no group";
          return found!.id === null ? "no sender ID" : storedGroup(found!);
        },
      });
    },

    deleteGroup: async (integration, key) => {
      const contacts = await write({
        statements: [prepared(deleteGroup(key), integration, valueOf(key))],
        result: ([gone]) => (gone!.rows as { contacts_count: number }[])[0]?.contacts_count,
      });
      if (contacts === undefined) return false;
      const removed = sweep();
      if (contacts <= maxRemovedAtOnce) await removed;
      return true;
    },
  };
}
