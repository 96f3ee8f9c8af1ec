import { stringify } from "lossless-json";
import type { Group, SenderId } from "./records.ts";
import type { Switches } from "./switches.ts";

export interface Response {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** @param body may hold bigints, which are written with all their digits */
export function jsonResponse(status: number, body: object): Response {
  return { status, headers: { "Content-Type": "application/json" }, body: stringify(body)! };
}

/** Returns the envelope of a success: specification, part 1. */
export function success(status: number, message: string, data: object | null): Response {
  return jsonResponse(status, { status: true, message, data });
}

export function shownSenderId(row: SenderId, switches: Switches): object {
  const { id, name, purpose, status } = row;
  const own = { id: shownId(id, switches), name, purpose, status };
  return { ...own, created_at: createdAt(id, switches), ...extra(id, switches) };
}

export function shownGroup(row: Group, switches: Switches, isInList: boolean): object {
  const { id, uuid, name, send_birthday, send_holiday, birthday_message, sender_id, contacts } =
    row;
  return {
    id: shownId(id, switches),
    uuid,
    name,
    send_birthday,
    send_holiday,
    birthday_message,
    ...(isInList && !switches.withoutContactsCount ? { contacts_count: contacts } : {}),
    created_at: createdAt(id, switches),
    ...extra(id, switches),
    ...(switches.extraFields ? { sender_id } : {}),
  };
}

function shownId(id: bigint, { idsAsText }: Switches): bigint | string {
  return idsAsText ? String(id) : id;
}

/** Each record is created a second after the one before it. */
function createdAt(id: bigint, { firstId, fractionDigits }: Switches): string {
  const seconds = Number(id - firstId);
  const text = new Date(Date.UTC(2026, 0, 31, 8) + seconds * 1000).toISOString().slice(0, 19);
  return `${text}${fractionDigits === 0 ? "" : `.${"123456789".slice(0, fractionDigits)}`}Z`;
}

function extra(id: bigint, switches: Switches): object {
  return switches.extraFields ? { user_id: 7, updated_at: createdAt(id, switches) } : {};
}
