import { type Behaviour, ownBehaviour } from "../../contract/behaviour.ts";
import type { Group, GroupChanges, GroupFields, SenderId } from "../../contract/service.ts";
import type {
  GroupKey,
  GroupUpdate,
  Microseconds,
  NewGroup,
  SenderIdKey,
  StoredGroup,
  StoredSenderId,
} from "../store/store.ts";
import { decimalId, uuidForm } from "./rulings.ts";

/** Formats a time as ISO 8601 in UTC, with six fractional digits and `Z` (specification, part 2). */
export function timestamp(time: Microseconds): string {
  const second = Math.floor(time / microsecondsPerSecond);
  if (second !== last.second) {
    last.second = second;
    last.text = secondText(new Date(second * 1000));
  }
  return `${last.text}${String(time - second * microsecondsPerSecond).padStart(6, "0")}Z`;
}

/** Like `toISOString`, for which V8 first loads the local time zone: a quarter of a millisecond. */
function secondText(date: Date): string {
  const [year, month, day, hour, minute, second] = [
    date.getUTCFullYear(),
    date.getUTCMonth() + 1,
    date.getUTCDate(),
    date.getUTCHours(),
    date.getUTCMinutes(),
    date.getUTCSeconds(),
  ].map((part) => String(part).padStart(2, "0"));
  return `${year}-${month}-${day}T${hour}:${minute}:${second}.`;
}

const microsecondsPerSecond = 1_000_000;

/** Caches the text up to the second, which takes most of the time and is often the same for adjacent records. */
const last = { second: Number.NaN, text: "" };

export function senderIdRecord(stored: StoredSenderId): SenderId {
  return {
    id: stored.id,
    name: stored.name,
    purpose: stored.purpose,
    status: stored.status,
    created_at: timestamp(stored.created_at),
  };
}

/** Fills in the defaults of a new group (ruling 9). @param body also has send_holiday if a create stores it */
export function newGroup(
  body: GroupFields & Pick<GroupChanges, "send_holiday">,
  behaviour: Behaviour,
): NewGroup {
  const { name, send_birthday, send_holiday, birthday_message } = body;
  return {
    name,
    send_birthday: send_birthday ?? behaviour.default_send_birthday,
    send_holiday: send_holiday === undefined ? behaviour.default_send_holiday : send_holiday,
    birthday_message:
      birthday_message === undefined ? behaviour.default_birthday_message : birthday_message,
  };
}

/** Returns the values that an update stores in omitted fields if it resets them (ruling 13). */
function resetFields(behaviour: Behaviour): Omit<GroupChanges, "name"> {
  return {
    send_birthday: behaviour.default_send_birthday,
    send_holiday: behaviour.default_send_holiday,
    birthday_message: behaviour.default_birthday_message,
    sender_id: null,
  };
}

/** Ruling 8: returns what stores an empty birthday message as null, if the behaviour does. */
export function storedMessage(
  behaviour: Behaviour,
): <Body extends Pick<GroupChanges, "birthday_message">>(body: Body) => Body {
  if (behaviour.birthday_message_empty !== "null") return (body) => body;
  return (body) => (body.birthday_message === "" ? { ...body, birthday_message: null } : body);
}

/** Returns a group as create, fetch and update show it: without contacts_count and sender_id. */
export function groupRecord(stored: StoredGroup): Group {
  return {
    id: stored.id,
    uuid: stored.uuid,
    name: stored.name,
    send_birthday: stored.send_birthday,
    send_holiday: stored.send_holiday,
    birthday_message: stored.birthday_message,
    created_at: timestamp(stored.created_at),
  };
}

/** Returns a group as lists show it: with contacts_count. Copying `groupRecord` would cost as much as reading a row. */
export function listedGroupRecord(stored: StoredGroup): Required<Group> {
  return {
    id: stored.id,
    uuid: stored.uuid,
    name: stored.name,
    send_birthday: stored.send_birthday,
    send_holiday: stored.send_holiday,
    birthday_message: stored.birthday_message,
    contacts_count: stored.contacts_count,
    created_at: timestamp(stored.created_at),
  };
}

/** Parses the decimal id or the uuid of a group (ruling 20); undefined if the text is neither. */
export function groupKey(
  id: string,
  lookup: Behaviour["group_lookup"] = ownBehaviour.group_lookup,
): GroupKey | undefined {
  if (lookup !== "uuid" && decimalId.test(id)) return { id: Number(id) };
  if (lookup !== "id" && uuidForm.test(id)) return { uuid: id.toLowerCase() };
  return undefined;
}

/** Ruling 14: by default, a sender_id that looks like an id can also be a name, and names take precedence. */
export function senderIdKey(text: string, means: Behaviour["sender_id_means"]): SenderIdKey {
  return {
    name: means === "id" ? undefined : text,
    id: means !== "name" && decimalId.test(text) ? Number(text) : undefined,
    ...(means === "any_text" ? { isOptional: true } : {}),
  };
}

/** Ruling 14: the error of a sender_id that refers to no sender ID. */
export const noSenderId: Readonly<Record<Behaviour["sender_id_means"], string>> = {
  name_or_id: "must be the name or the id of one of your sender IDs",
  name: "must be the name of one of your sender IDs",
  id: "must be the id of one of your sender IDs",
  any_text: "must be a string",
};

/**
 * Removes the fields whose given value is undefined or null.
 *
 * @param given (default: the changes)
 */
function without(removed: null | undefined, changes: GroupChanges, given = changes): GroupChanges {
  const values: Readonly<Record<string, unknown>> = { ...given };
  if (!Object.values(values).includes(removed)) return changes;
  return Object.fromEntries(Object.entries(changes).filter(([name]) => values[name] !== removed));
}

/** Returns the function that creates the update of a group from a valid body: rulings 8, 13 and 14. */
export function groupUpdateBy(behaviour: Behaviour): (body: GroupChanges) => GroupUpdate {
  const { omitted_in_update, null_in_update, sender_id_means: means } = behaviour;
  const initial = omitted_in_update === "kept" ? undefined : resetFields(behaviour);
  const ignoresNull = null_in_update === "ignored";
  const stored = storedMessage(behaviour);
  return (body) => {
    // A body from this process may have undefined fields.
    const given = without(undefined, body);
    const whole = initial === undefined ? stored(given) : { ...initial, ...stored(given) };
    const { sender_id, ...changed } = ignoresNull ? without(null, whole, given) : whole;
    if (sender_id === undefined) return changed;
    return { ...changed, sender_id: sender_id === null ? null : senderIdKey(sender_id, means) };
  };
}
