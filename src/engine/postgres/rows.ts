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
  readonly send_birthday: boolean;
  readonly send_holiday: boolean | null;
  readonly birthday_message: string | null;
  readonly contacts_count: number;
  readonly created_at: number;
}

export const senderIdColumns = "id, name, purpose, status, created_at";

export const groupColumns =
  "id, uuid, name, send_birthday, send_holiday, birthday_message, contacts_count, created_at";

export function storedSenderId(row: SenderIdRow): StoredSenderId {
  const { id, name, purpose, status, created_at } = row;
  return { id, name, purpose, status, createdAt: created_at };
}

export function storedGroup(row: GroupRow): StoredGroup {
  return {
    id: row.id,
    uuid: row.uuid,
    name: row.name,
    sendBirthday: row.send_birthday,
    sendHoliday: row.send_holiday,
    birthdayMessage: row.birthday_message,
    contactsCount: row.contacts_count,
    createdAt: row.created_at,
  };
}
