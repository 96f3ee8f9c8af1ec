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
import type { GroupKey, Microseconds, NewGroup, RecordStore, SenderIdKey } from "../store.ts";
import type { Statement, Value } from "./connection/connection.ts";
import { isIntegration, ofIntegration } from "./conditions.ts";
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
function counted(table: string, difference: string, part: string): string {
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

const newGroupColumns = `id, integration_id, uuid, ${givenGroupColumns.join()}, created_at`;
const newGroupValues = `id, ${liveIntegration}, $2::uuid, ${givenGroupColumns.map((column, index) => typed(column, index + 4)).join()}, newest`;

/** Inserts several groups: each parameter after the integration is an array, with a value for each group. */
const insertGroups = `
  WITH given AS (
    SELECT * FROM unnest($2::uuid[], $3::bigint[], ${givenGroupColumns.map((column, index) => `${typed(column, index + 4)}[]`).join()})
      WITH ORDINALITY AS given (uuid, time, ${givenGroupColumns.join()}, place)
  ), size AS (SELECT count(*) AS count, max(time) AS time FROM given), next AS (
    UPDATE clock SET newest = greatest(newest + 1, size.time) + size.count - 1,
      last_group = last_group + size.count
    FROM size RETURNING newest - size.count AS time, last_group - size.count AS id
  ), added AS (
    INSERT INTO contact_group (${newGroupColumns})
    SELECT next.id + place, ${liveIntegration}, uuid, ${givenGroupColumns.join()}, next.time + place
    FROM given CROSS JOIN next
    RETURNING integration_id, ${groupColumns}
  ), counted AS (${counted("contact_group", "+ (SELECT count FROM size)", "added")})
  SELECT ${groupColumns} FROM added ORDER BY id`;

/** Ruling 14: finds the sender ID by its name, or otherwise by its id. Each lookup uses an index. */
const senderBy = (name: string, id: string): string => `
    SELECT id FROM (SELECT coalesce(
      (SELECT id FROM sender_id WHERE integration_id = $1 AND name = ${name}::text),
      (SELECT id FROM sender_id WHERE integration_id = $1 AND id = ${id}::bigint)
    ) AS id) AS found WHERE id IS NOT NULL`;

/** The parameters after the columns of a new group: whether its name is unique, and those of its sender ID. */
const [unique, sentSender, senderName, senderKey] = [1, 2, 3, 4].map(
  (number) => `$${3 + givenGroupColumns.length + number}`,
) as [string, string, string, string];

/** Above every id. */
const allIds = "9223372036854775807";

/** Every writer locks the clock first, so no other transaction can add the name in the meantime. */
const insertCheckedGroup = `
  WITH taken AS (
    SELECT 1 FROM contact_group WHERE ${unique}::boolean AND ${ofIntegration(allIds)}
      AND name = $${4 + givenGroupColumns.indexOf("name")}
    ORDER BY integration_id DESC, id DESC LIMIT 1
  ), sender AS (${senderBy(senderName, senderKey)}), next AS (${nextOf(
    "group",
    "$3",
    `NOT EXISTS (SELECT 1 FROM taken)
     AND (${sentSender}::text <> 'found' OR EXISTS (SELECT 1 FROM sender))`,
  )}), added AS (
    INSERT INTO contact_group (${newGroupColumns}, sender_id)
    SELECT ${newGroupValues}, (SELECT id FROM sender) FROM next
    RETURNING integration_id, ${groupColumns}
  ), counted AS (${counted("contact_group", "+ 1", "added")})
  SELECT (SELECT count(*) FROM taken) AS taken, added.*
  FROM (VALUES (1)) AS one (one) LEFT JOIN added ON true`;

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

/** Another group with the new name, if the name changes. */
const takenBy = (key: GroupKey): string => {
  const flag = 2 * givenGroupColumns.indexOf("name") + 6;
  return `SELECT 1 FROM contact_group WHERE $${flag}::boolean AND ${ofIntegration(allIds)}
      AND name = $${flag + 1}::text AND NOT (${findBy(key)})
    ORDER BY integration_id DESC, id DESC LIMIT 1`;
};

const updateGroup = (key: GroupKey, hasUniqueName: boolean): string => `
  WITH sender AS (${senderBy("$4", "$5")}), taken AS (
    ${hasUniqueName ? takenBy(key) : "SELECT 1 WHERE false"}
  ), changed AS (
    UPDATE contact_group SET ${changes.join()},
      sender_id = CASE $3::text WHEN 'kept' THEN sender_id WHEN 'none' THEN NULL
                                ELSE (SELECT id FROM sender) END
    WHERE ${findBy(key)} AND ($3::text <> 'found' OR EXISTS (SELECT 1 FROM sender))
      AND NOT EXISTS (SELECT 1 FROM taken)
    RETURNING ${groupColumns}
  )
  SELECT (SELECT count(*) FROM contact_group WHERE ${findBy(key)}) AS there,
    (SELECT count(*) FROM taken) AS taken, changed.*
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

/** Returns the parameters of a sender ID: what to do with it, its name, and its id. */
function senderValues(sender: SenderIdKey | null | undefined): [string, Value, Value] {
  if (sender === undefined) return ["kept", null, null];
  if (sender === null) return ["none", null, null];
  const { name, id, isOptional } = sender;
  const isName = name !== undefined && isStorable(name);
  return [isOptional === true ? "optional" : "found", isName ? name : null, id ?? null];
}

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

    sliceOfSenderIds: (...place) => slice(listedSenderIds, ...place),

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
        statements: [
          {
            ...prepared(insertGroups, integration, randomUUID(), time(), ...given),
            isMergeable: true,
          },
        ],
        result: ([added]) => storedGroup(added!.rows[0] as GroupRow),
      });
    },

    sliceOfGroups: (...place) => slice(listedGroups, ...place),

    groupByKey: async (integration, key) => {
      const found = await row<GroupRow>(
        `SELECT ${groupColumns} FROM contact_group WHERE ${findBy(key)}`,
        integration,
        valueOf(key),
      );
      return found && storedGroup(found);
    },

    insertCheckedGroup: (integration, group, sender, hasUniqueName) => {
      const given = givenGroupColumns.map((column) => group[column]);
      const values = [...given, hasUniqueName, ...senderValues(sender)];
      return write({
        statements: [prepared(insertCheckedGroup, integration, randomUUID(), time(), ...values)],
        result: ([added]) => {
          const [found] = added!.rows as ({ taken: number } & GroupRow)[];
          if (found!.taken > 0) return "name taken";
          return found!.id === null ? "no sender ID" : storedGroup(found!);
        },
      });
    },

    updateGroup: (integration, key, update, hasUniqueName = false) => {
      const values: Value[] = [
        integration,
        valueOf(key),
        ...senderValues(update.sender_id),
        ...givenGroupColumns.flatMap((column) => [
          update[column] !== undefined,
          update[column] ?? null,
        ]),
      ];
      return write({
        statements: [prepared(updateGroup(key, hasUniqueName), ...values)],
        result: ([changed]) => {
          const [found] = changed!.rows as ({ there: number; taken: number } & GroupRow)[];
          if (found!.there === 0) return "no group";
          if (found!.taken > 0) return "name taken";
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
