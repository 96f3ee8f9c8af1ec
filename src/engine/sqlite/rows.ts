import type { StoredGroup, StoredSenderId } from "../store.ts";

export interface SenderIdRow {
  readonly id: number;
  readonly name: string;
  readonly purpose: string;
  readonly status: string;
  readonly created_at: number;
}

export interface GroupRow {
  readonly id: number;
  readonly uuid: string;
  readonly name: string;
  readonly send_birthday: number;
  readonly send_holiday: number | null;
  readonly birthday_message: string | null;
  readonly sender_id: number | null;
  readonly contacts_count: number;
  readonly created_at: number;
}

export const senderIdColumns = "id, name, purpose, status, created_at";

export const groupColumns =
  "id, uuid, name, send_birthday, send_holiday, birthday_message, sender_id, contacts_count, created_at";

/** With an integration, and a name. */
export const senderIdByName = `SELECT ${senderIdColumns} FROM sender_id WHERE integration_id = ? AND name = ?`;

/** Each with an integration as its second value. */
export const groupById = `SELECT ${groupColumns} FROM contact_group WHERE id = ? AND integration_id = ?`;
export const groupByUuid = `SELECT ${groupColumns} FROM contact_group WHERE uuid = ? AND integration_id = ?`;

export function storedSenderId(row: SenderIdRow): StoredSenderId {
  const { id, name, purpose, status, created_at } = row;
  return { id, name, purpose, status, createdAt: created_at };
}

export function storedGroup(row: GroupRow): StoredGroup {
  return {
    id: row.id,
    uuid: row.uuid,
    name: row.name,
    sendBirthday: row.send_birthday === 1,
    sendHoliday: row.send_holiday === null ? null : row.send_holiday === 1,
    birthdayMessage: row.birthday_message,
    contactsCount: row.contacts_count,
    createdAt: row.created_at,
  };
}

/** The same, of values in the order of the columns: a list has many. */
export type SenderIdValues = readonly [
  id: number,
  name: string,
  purpose: string,
  status: string,
  createdAt: number,
];

export function senderIdOf(values: SenderIdValues): StoredSenderId {
  const [id, name, purpose, status, createdAt] = values;
  return { id, name, purpose, status, createdAt };
}

export type GroupValues = readonly [
  id: number,
  uuid: string,
  name: string,
  sendBirthday: number,
  sendHoliday: number | null,
  birthdayMessage: string | null,
  senderId: number | null,
  contactsCount: number,
  createdAt: number,
];

export function groupOf(values: GroupValues): StoredGroup {
  const [id, uuid, name, sendBirthday, sendHoliday, birthdayMessage, , contactsCount, createdAt] =
    values;
  return {
    id,
    uuid,
    name,
    sendBirthday: sendBirthday === 1,
    sendHoliday: sendHoliday === null ? null : sendHoliday === 1,
    birthdayMessage,
    contactsCount,
    createdAt,
  };
}

/** SQLite has no booleans. */
export function flag(value: boolean | null): number | null {
  return value === null ? null : Number(value);
}
