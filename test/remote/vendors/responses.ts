import { stringify } from "lossless-json";
import type { Group, SenderId } from "./records.ts";
import type { Switches } from "./switches.ts";

export interface Response {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Returns a JSON response. @param body may contain bigints, which keep all digits */
export function jsonResponse(status: number, body: object): Response {
  return { status, headers: { "Content-Type": "application/json" }, body: stringify(body)! };
}

/** Returns the envelope of a success: specification, part 1. */
export function success(status: number, message: string, data: object | null): Response {
  return jsonResponse(status, { status: true, message, data });
}

export function shownSenderId(row: SenderId, switches: Switches): object {
  const { id, name, purpose, status, created } = row;
  const own = { id: shownId(id, switches), name, purpose, status };
  return { ...own, created_at: createdAt(created, switches), ...extra(created, switches) };
}

export function shownGroup(row: Group, switches: Switches, isInList: boolean): object {
  const { id, uuid, name, send_birthday, send_holiday, birthday_message, sender_id, contacts } =
    row;
  const { created } = row;
  return {
    id: shownId(id, switches),
    uuid,
    name,
    send_birthday,
    send_holiday,
    birthday_message,
    ...(isInList && !switches.withoutContactsCount ? { contacts_count: contacts } : {}),
    created_at: createdAt(created, switches),
    ...extra(created, switches),
    ...(switches.extraFields ? { sender_id } : {}),
  };
}

function shownId(id: bigint, { idsAsText }: Switches): bigint | string {
  return idsAsText ? String(id) : id;
}

/** @param created milliseconds since 1970 */
function createdAt(created: number, { fractionDigits }: Switches): string {
  const [seconds, milliseconds = ""] = new Date(created).toISOString().slice(0, -1).split(".");
  const fraction = `${milliseconds}456789`.slice(0, fractionDigits);
  return `${seconds}${fraction === "" ? "" : `.${fraction}`}Z`;
}

function extra(created: number, switches: Switches): object {
  return switches.extraFields ? { user_id: 7, updated_at: createdAt(created, switches) } : {};
}
