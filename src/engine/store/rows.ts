import { groupFields, namesOf } from "../../contract/resources.ts";
import type { NewGroup, StoredGroup, StoredSenderId } from "./store.ts";

/**
 * Columns and row conversions shared by both stores. A missing field does not compile. SQLite has no booleans and
 * stores them as 0 and 1.
 */

const senderIdNames = [
  "id",
  "name",
  "purpose",
  "status",
  "created_at",
] as const satisfies readonly (keyof StoredSenderId)[];

const groupNames = [
  "id",
  "uuid",
  "name",
  "send_birthday",
  "send_holiday",
  "birthday_message",
  "contacts_count",
  "created_at",
] as const satisfies readonly (keyof StoredGroup)[];

/** Column lists for SQL. */
export const senderIdColumns = senderIdNames.join();
export const groupColumns = groupNames.join();

/** The columns that callers set directly. `sender_id` is not one of them, because it is looked up. */
export const givenGroupColumns = namesOf(
  groupFields,
  ({ create, update, refersTo }) => (create ?? update) !== undefined && refersTo === undefined,
) as readonly (keyof NewGroup)[];

type Returned<Value, Flag> = Value extends boolean ? Flag : Value;

/** A row as an object. */
type RowOf<Stored, Columns extends readonly (keyof Stored)[]> = {
  readonly [Name in Columns[number]]: Returned<Stored[Name], boolean | number>;
};

/** A row of SQLite as an array in column order, which is faster for long lists. */
type ValuesOf<Stored, Columns extends readonly (keyof Stored)[]> = {
  readonly [Index in keyof Columns]: Returned<Stored[Columns[Index]], number>;
};

export type SenderIdRow = RowOf<StoredSenderId, typeof senderIdNames>;
export type SenderIdValues = ValuesOf<StoredSenderId, typeof senderIdNames>;
export type GroupRow = RowOf<StoredGroup, typeof groupNames>;
export type GroupValues = ValuesOf<StoredGroup, typeof groupNames>;

export function storedSenderId(row: SenderIdRow): StoredSenderId {
  const { id, name, purpose, status, created_at } = row;
  return { id, name, purpose, status, created_at };
}

export function senderIdOf(values: SenderIdValues): StoredSenderId {
  const [id, name, purpose, status, created_at] = values;
  return { id, name, purpose, status, created_at };
}

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

export function groupOf(values: GroupValues): StoredGroup {
  const [id, uuid, name, birthday, holiday, birthday_message, contacts_count, created_at] = values;
  return {
    id,
    uuid,
    name,
    send_birthday: Boolean(birthday),
    send_holiday: holiday === null ? null : Boolean(holiday),
    birthday_message,
    contacts_count,
    created_at,
  };
}
