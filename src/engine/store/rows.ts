import { groupFields, namesOf } from "../../contract/resources.ts";
import type { NewGroup, StoredGroup, StoredSenderId } from "./store.ts";

/** How rows of both databases become records. */

/** Column lists for SQL. */
export const senderIdColumns = "id, name, purpose, status, created_at";
export const groupColumns =
  "id, uuid, name, send_birthday, send_holiday, birthday_message, contacts_count, created_at";

/** The columns that callers set directly. `sender_id` is not one of them, because it is looked up. */
export const givenGroupColumns = namesOf(
  groupFields,
  ({ create, update, refersTo }) => (create ?? update) !== undefined && refersTo === undefined,
) as readonly (keyof NewGroup)[];

/** SQLite has no booleans and stores them as 0 and 1. */
export type GroupRow = {
  readonly [Name in keyof StoredGroup]: boolean extends StoredGroup[Name]
    ? StoredGroup[Name] | number
    : StoredGroup[Name];
};

/** Returns the record of a row, which may have further columns. */
export function storedSenderId(row: StoredSenderId): StoredSenderId {
  const { id, name, purpose, status, created_at } = row;
  return { id, name, purpose, status, created_at };
}

/** Returns the record of a row, which may have further columns. */
export function storedGroup(row: GroupRow): StoredGroup {
  return {
    id: row.id,
    uuid: row.uuid,
    name: row.name,
    send_birthday: Boolean(row.send_birthday),
    send_holiday: row.send_holiday === null ? null : Boolean(row.send_holiday),
    birthday_message: row.birthday_message,
    contacts_count: row.contacts_count,
    created_at: row.created_at,
  };
}
