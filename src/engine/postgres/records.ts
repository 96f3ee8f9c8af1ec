import { randomUUID } from "node:crypto";
import type { GroupKey, Microseconds, RecordStore } from "../store.ts";
import type { Statement, Value } from "./connection/connection.ts";
import { createPages, type Listed } from "./pages.ts";
import { isStorable, type Queries } from "./queries.ts";
import {
  groupColumns,
  senderIdColumns,
  storedGroup,
  storedSenderId,
  type GroupRow,
  type SenderIdRow,
} from "./rows.ts";

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

/** One more time, and one more id of a kind. Ruling 22: later than any other, whoever's clock is ahead. */
export function nextOf(kind: string, now: string, condition = "true"): string {
  return `UPDATE clock SET newest = greatest(newest + 1, ${now}::bigint), last_${kind} = last_${kind} + 1
          WHERE ${condition} RETURNING newest, last_${kind} AS id`;
}

/** What counts an integration's records, when one has come into, or gone from, another part. */
function counted(table: string, difference: "+ 1" | "- 1", part: string): string {
  return `UPDATE integration SET ${table}_total = ${table}_total ${difference},
            ${table}_changes = ${table}_changes + 1
          WHERE id IN (SELECT integration_id FROM ${part})`;
}

/** A statement that is sent often. */
export function often(text: string, ...values: Value[]): Statement {
  return { text, values, isOften: true };
}

const insertSenderId = `
  WITH next AS (${nextOf(
    "sender_id",
    "$5",
    "NOT EXISTS (SELECT 1 FROM sender_id WHERE integration_id = $1 AND name = $2)",
  )}), added AS (
    INSERT INTO sender_id (id, integration_id, name, purpose, status, created_at)
    SELECT id, $1::bigint, $2::text, $3::text, $4::text, newest FROM next
    RETURNING integration_id, ${senderIdColumns}
  ), counted AS (${counted("sender_id", "+ 1", "added")})
  SELECT ${senderIdColumns} FROM added`;

const deleteSenderId = `
  WITH gone AS (
    DELETE FROM sender_id WHERE integration_id = $1 AND name = $2 RETURNING integration_id
  ) ${counted("sender_id", "- 1", "gone")}`;

const insertGroup = `
  WITH next AS (${nextOf("group", "$7")}), added AS (
    INSERT INTO contact_group
      (id, integration_id, uuid, name, send_birthday, send_holiday, birthday_message, created_at)
    SELECT id, $1::bigint, $2::uuid, $3::text, $4::boolean, $5::boolean, $6::text, newest FROM next
    RETURNING integration_id, ${groupColumns}
  ), counted AS (${counted("contact_group", "+ 1", "added")})
  SELECT ${groupColumns} FROM added`;

/** What a group is found by, beside its integration, $1. */
export const findBy = (key: GroupKey): string =>
  "id" in key
    ? "integration_id = $1 AND id = $2::bigint"
    : "integration_id = $1 AND uuid = $2::uuid";

export const valueOf = (key: GroupKey): Value => ("id" in key ? key.id : key.uuid);

/** Ruling 14: the sender ID is found by its name, $9, or, failing that, by its id, $10. */
const updateGroup = (key: GroupKey): string => `
  WITH sender AS (
    SELECT id FROM sender_id
    WHERE integration_id = $1 AND (name = $9::text OR id = $10::bigint)
    ORDER BY CASE WHEN name = $9::text THEN 0 ELSE 1 END LIMIT 1
  ), changed AS (
    UPDATE contact_group SET
      name = coalesce($3::text, name),
      send_birthday = coalesce($4::boolean, send_birthday),
      send_holiday = CASE WHEN $5::boolean THEN $6::boolean ELSE send_holiday END,
      birthday_message = CASE WHEN $7::boolean THEN $8::text ELSE birthday_message END,
      sender_id = CASE $11::text WHEN 'kept' THEN sender_id WHEN 'none' THEN NULL
                                 ELSE (SELECT id FROM sender) END
    WHERE ${findBy(key)} AND ($11::text <> 'found' OR EXISTS (SELECT 1 FROM sender))
    RETURNING ${groupColumns}
  )
  SELECT (SELECT count(*) FROM contact_group WHERE ${findBy(key)}) AS there, changed.*
  FROM (VALUES (1)) AS one (one) LEFT JOIN changed ON true`;

const deleteGroup = (key: GroupKey): string => `
  WITH gone AS (DELETE FROM contact_group WHERE ${findBy(key)} RETURNING integration_id)
  ${counted("contact_group", "- 1", "gone")}`;

/** Sender IDs and groups. @param now the time, in microseconds since 1970 */
export function recordMethods(queries: Queries, now: () => Microseconds): RecordStore {
  const { row, write } = queries;
  const slice = createPages(queries);
  const time = (): number => Math.floor(now());

  return {
    insertSenderId: (integration, { name, purpose, status }) =>
      write({
        statements: [often(insertSenderId, integration, name, purpose, status, time())],
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
        statements: [often(deleteSenderId, integration, name)],
        result: ([gone]) => gone!.count > 0,
      }),

    insertGroup: (integration, { name, sendBirthday, sendHoliday, birthdayMessage }) =>
      write({
        statements: [
          often(
            insertGroup,
            integration,
            randomUUID(),
            name,
            sendBirthday,
            sendHoliday,
            birthdayMessage,
            time(),
          ),
        ],
        result: ([added]) => storedGroup(added!.rows[0] as GroupRow),
      }),

    sliceOfGroups: (integration, skip, count) => slice(listedGroups, integration, skip, count),

    groupByKey: async (integration, key) => {
      const found = await row<GroupRow>(
        `SELECT ${groupColumns} FROM contact_group WHERE ${findBy(key)}`,
        integration,
        valueOf(key),
      );
      return found && storedGroup(found);
    },

    updateGroup: (integration, key, { name, sendBirthday, senderId, ...rest }) => {
      const sender = senderId === undefined ? "kept" : senderId === null ? "none" : "found";
      const values: Value[] = [
        integration,
        valueOf(key),
        name ?? null,
        sendBirthday ?? null,
        rest.sendHoliday !== undefined,
        rest.sendHoliday ?? null,
        rest.birthdayMessage !== undefined,
        rest.birthdayMessage ?? null,
        senderId && isStorable(senderId.name) ? senderId.name : null,
        senderId?.id ?? null,
        sender,
      ];
      return write({
        statements: [often(updateGroup(key), ...values)],
        result: ([changed]) => {
          const [found] = changed!.rows as ({ there: number } & GroupRow)[];
          if (found!.there === 0) return "no group";
          return found!.id === null ? "no sender ID" : storedGroup(found!);
        },
      });
    },

    deleteGroup: (integration, key) =>
      write({
        statements: [often(deleteGroup(key), integration, valueOf(key))],
        result: ([gone]) => gone!.count > 0,
      }),
  };
}
