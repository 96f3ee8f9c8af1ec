import { uuidOf, type Group, type Records, type SenderId } from "./records.ts";
import { Refused } from "./refusals.ts";
import type { Switches } from "./switches.ts";

export type Body = Readonly<Record<string, unknown>>;

/** Returns a text of a body as this service stores it. @throws Refused if it is not text */
function textOf(body: Body, field: string, { trims, emptyIsNull, nulls }: Switches): string | null {
  const value = body[field] ?? null;
  if (value === null) {
    if (field in body && nulls === "refused")
      throw new Refused("invalid", `${field} is null`, field);
    return null;
  }
  if (typeof value !== "string") throw new Refused("invalid", `${field} must be a string`, field);
  const text = trims ? value.trim() : value;
  return emptyIsNull && text === "" ? null : text;
}

function requiredText(body: Body, field: string, switches: Switches): string {
  const text = textOf(body, field, switches);
  if (text === null) throw new Refused("invalid", `The ${field} field is required.`, field);
  return text;
}

function flagOf(body: Body, field: string, { nulls }: Switches): boolean | null {
  const value = body[field] ?? null;
  if (typeof value === "boolean" || (value === null && nulls === "stored")) return value;
  throw new Refused("invalid", `The ${field} field must be true or false.`, field);
}

function refuseTaken(
  rows: readonly { readonly id: bigint; readonly name: string | null }[],
  name: string,
  own: bigint | undefined,
  { uniqueNames }: Switches,
): void {
  const isTaken = rows.some(
    (row) =>
      row.id !== own &&
      (uniqueNames === "exact"
        ? row.name === name
        : row.name?.toLowerCase() === name.toLowerCase()),
  );
  if (uniqueNames !== "none" && isTaken) {
    throw new Refused("taken", "The name has already been taken.", "name");
  }
}

/** @throws Refused */
export function createSenderId({ senderIds }: Records, body: Body, switches: Switches): SenderId {
  const name = requiredText(body, "name", switches);
  const purpose = requiredText(body, "purpose", switches);
  refuseTaken(senderIds.rows, name, undefined, switches);
  return senderIds.add((id, created) => ({ id, name, purpose, status: "PENDING", created }));
}

/** @throws Refused */
export function createGroup({ groups }: Records, body: Body, switches: Switches): Group {
  const name = requiredText(body, "name", switches);
  const birthday = "send_birthday" in body ? flagOf(body, "send_birthday", switches) : false;
  const birthday_message = textOf(body, "birthday_message", switches);
  refuseTaken(groups.rows, name, undefined, switches);
  return groups.add((id, created) => ({
    id,
    created,
    uuid: uuidOf(id),
    name,
    send_birthday: birthday ?? false,
    send_holiday: null,
    birthday_message,
    sender_id: null,
    contacts: 0,
  }));
}

const visible = ["name", "send_birthday", "send_holiday", "birthday_message"] as const;

/** Values of omitted fields if PUT replaces the record. */
const initial = {
  send_birthday: false,
  send_holiday: null,
  birthday_message: null,
  sender_id: null,
};

/** @throws Refused */
export function updateGroup(records: Records, old: Group, body: Body, switches: Switches): Group {
  const { put } = switches;
  const needed = put === "needs every field" ? visible : put === "needs name" ? ["name"] : [];
  const missing = needed.find((field) => !(field in body));
  if (missing !== undefined) {
    throw new Refused("invalid", `The ${missing} field is required.`, missing);
  }
  const base = put === "resets omitted" ? { ...old, ...initial } : old;
  const row = {
    ...base,
    ...("name" in body ? { name: requiredText(body, "name", switches) } : {}),
    ...("send_birthday" in body
      ? { send_birthday: flagOf(body, "send_birthday", switches) ?? false }
      : {}),
    ...("send_holiday" in body ? { send_holiday: flagOf(body, "send_holiday", switches) } : {}),
    ...("birthday_message" in body
      ? { birthday_message: textOf(body, "birthday_message", switches) }
      : {}),
    ...("sender_id" in body ? { sender_id: senderIdOf(records, body, switches) } : {}),
  };
  if (row.name !== null) refuseTaken(records.groups.rows, row.name, old.id, switches);
  records.groups.put(row);
  return row;
}

function senderIdOf({ senderIds }: Records, body: Body, switches: Switches): string | null {
  const text = textOf(body, "sender_id", switches);
  const { senderIdIs } = switches;
  if (text === null || senderIdIs === "any text") return text;
  const isKnown = senderIds.rows.some(
    ({ id, name }) =>
      (senderIdIs !== "an id" && name === text) || (senderIdIs !== "a name" && String(id) === text),
  );
  if (!isKnown) throw new Refused("invalid", "The selected sender_id is invalid.", "sender_id");
  return text;
}
