import { type Behaviour, ownBehaviour, switches } from "../../contract/behaviour.ts";
import type {
  Group,
  GroupChanges,
  GroupFields,
  Page,
  PageQuery,
  Reply,
  SenderId,
} from "../../contract/service.ts";
import type {
  GroupKey,
  GroupUpdate,
  Microseconds,
  NewGroup,
  SenderIdKey,
  Slice,
  StoredGroup,
  StoredSenderId,
} from "../store/stored.ts";
import { uuidForm } from "../../contract/resources.ts";
import { decimalId, firstPage } from "./rulings.ts";
import { type OperationName, operations } from "../../contract/operations.ts";
import { cursorHeader } from "../../contract/request.ts";
import { type FieldErrors, reply } from "./replies.ts";

/** Formats a time as ISO 8601 in UTC, with six fractional digits and `Z`. */
export function timestamp(time: Microseconds): string {
  const second = Math.floor(time / microsecondsPerSecond);
  if (second !== last.second) {
    last.second = second;
    last.text = new Date(second * 1000).toISOString().slice(0, -"000Z".length);
  }
  return `${last.text}${String(time - second * microsecondsPerSecond).padStart(6, "0")}Z`;
}

const microsecondsPerSecond = 1_000_000;

/** Caches the text up to the second: it takes most of the time, and adjacent records share it. */
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

/** Fills in a group's defaults (ruling 9). @param body has send_holiday if a create stores it */
export function newGroup(body: GroupFields & Pick<GroupChanges, "send_holiday">): NewGroup {
  const { name, send_birthday = false, send_holiday = null, birthday_message = null } = body;
  return { name, send_birthday, send_holiday, birthday_message };
}

/** The fields that a new group has if they are omitted (ruling 9). */
const { name: _, ...initialGroup } = newGroup({ name: "" });

/** Returns a group as create, fetch and update show it: without contacts_count and sender_id. */
export function groupRecord(stored: StoredGroup): Group {
  const { contacts_count: _, ...record } = listedGroupRecord(stored);
  return record;
}

/** Returns a group as lists show it: with contacts_count. */
export function listedGroupRecord(stored: StoredGroup): Required<Group> {
  return {
    id: stored.id,
    uuid: stored.uuid,
    name: stored.name,
    send_birthday: Boolean(stored.send_birthday),
    send_holiday: stored.send_holiday === null ? null : Boolean(stored.send_holiday),
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

/** Ruling 14: by default, a sender_id that looks like an id can be a name, which is preferred. */
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

/** Returns the function that creates the update of a group from a valid body: rulings 13 and 14. */
export function groupUpdateBy(behaviour: Behaviour): (body: GroupChanges) => GroupUpdate {
  const { omitted_in_update, null_in_update, sender_id_means: means } = behaviour;
  const initial = omitted_in_update === "kept" ? {} : { ...initialGroup, sender_id: null };
  const ignoresNull = null_in_update === "ignored";
  return (body) => {
    // A body from this process may have undefined fields.
    const given = without(undefined, body);
    const whole = { ...initial, ...given };
    const { sender_id, ...changed } = ignoresNull ? without(null, whole, given) : whole;
    if (sender_id === undefined) return changed;
    return { ...changed, sender_id: sender_id === null ? null : senderIdKey(sender_id, means) };
  };
}

/** A valid page of a list. */
export interface RequestedPage {
  readonly perPage: number;
  readonly page: number;
}

/** Reads page size and page number from a query, or returns its errors (rulings 18 and 19). */
export function readPage(
  query: PageQuery,
  behaviour: Behaviour = ownBehaviour,
): RequestedPage | { readonly errors: FieldErrors } {
  const errors: FieldErrors = {};
  const { min } = switches.per_page_default;
  const max = behaviour.per_page_max;
  const perPage = wholeNumber(query.perPage, behaviour.per_page_default);
  if (perPage === undefined || perPage < min || perPage > max) {
    errors["perPage"] = [`must be a whole number from ${min} to ${max}`];
  }
  const isIgnored = behaviour.page_parameter === "ignored";
  const page = isIgnored ? firstPage : wholeNumber(query.page, firstPage);
  if (behaviour.page_parameter === "refused" && query.page !== undefined) {
    errors["page"] = ["is not a parameter of this list"];
  } else if (page === undefined || page < firstPage) {
    errors["page"] = [`must be a whole number from ${firstPage}`];
  }
  if (perPage === undefined || page === undefined || Object.keys(errors).length > 0) {
    return { errors };
  }
  return { perPage, page };
}

/** Rejects numbers over 15 digits, which a double may not represent exactly. */
function wholeNumber(value: number | string | undefined, absent: number): number | undefined {
  if (value === undefined) return absent;
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  if (!/^[0-9]{1,15}$/.test(String(value))) return undefined;
  return Number(value);
}

/** Converts a slice to a page (ruling 19). */
export function pageOf<Stored, Item>(
  { items, total }: Slice<Stored>,
  { perPage, page }: { readonly perPage: number; readonly page: number },
  record: (stored: Stored) => Item,
): Page<Item> {
  return {
    data: items.map((item) => record(item)),
    current_page: page,
    last_page: Math.max(1, Math.ceil(total / perPage)),
    per_page: perPage,
    total,
  };
}

/** Replies of slices, while a store caches these. A slice never changes, nor does its reply. */
const replies = new WeakMap<Slice<unknown>, Reply>();

/**
 * Returns the reply of a list. The same slice always stands for the same page.
 *
 * @param cursor selects the records after the page
 */
export function listed<Stored, Item>(
  operation: OperationName,
  slice: Slice<Stored>,
  page: { readonly perPage: number; readonly page: number },
  record: (stored: Stored) => Item,
  cursor?: string,
): Reply {
  const cached = replies.get(slice);
  // If a cursor was ignored, the response has none, unlike others of the same slice.
  if (cached !== undefined && cached.headers?.[cursorHeader] === cursor) return cached;
  const { status, message } = operations[operation];
  const envelope = { status: true, message, data: pageOf(slice, page, record) };
  const headers = cursor === undefined ? {} : { [cursorHeader]: cursor };
  const listing = reply(status, envelope, envelope, headers);
  replies.set(slice, listing);
  return listing;
}

/**
 * A cursor of a list: the end of a page, as text for the engine only. It selects only records of
 * the caller's integration. The check excludes damage, and cursors of other lists or integrations.
 */
const cursorForm = /^([0-9a-z]{1,11})-[0-9a-z]{1,7}$/;

/** Returns the cursor of a page. @param list with its integration @param id the last of the page */
export function cursorAfter(list: string, id: number): string {
  return `${id.toString(36)}-${checkOf(`${list} ${id}`)}`;
}

/** Returns the id that a page ended with; undefined if the text is not a cursor of this list. */
export function idBefore(list: string, cursor: unknown): number | undefined {
  const digits = typeof cursor === "string" ? cursorForm.exec(cursor)?.[1] : undefined;
  const id = digits === undefined ? Number.NaN : Number.parseInt(digits, 36);
  return Number.isSafeInteger(id) && cursorAfter(list, id) === cursor ? id : undefined;
}

/** Returns an FNV-1a checksum of 32 bits. It prevents accidents; forgery would gain nothing. */
function checkOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return (hash >>> 0).toString(36);
}
