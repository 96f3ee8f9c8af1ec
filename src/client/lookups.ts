import { operations } from "../contract/operations.ts";
import { SendctlError } from "../core/error.ts";
import { jsonText, readJson } from "../core/json-text.ts";
import {
  type Page,
  type PageQuery,
  type RecordIdentity,
  type Reply,
  type ShownRecord,
  isAbsence,
  succeeded,
  isObject,
  readBoolean,
} from "../contract/service.ts";
import { doneReply } from "../service/lines.ts";
import { eachRecord } from "../service/read-list.ts";
import { isRefusal } from "../service/refusals.ts";
import { isOfGateway } from "../service/refusals.ts";
import type { Calls } from "./calls.ts";
import { recordOf } from "./check-record.ts";
import { askedFor, textOf, uuidForm, type RecordPath } from "./compare.ts";

import { fetchCurrent } from "./writes/lag.ts";

/** Translates keys of records to those that the service is known to take. Other keys are returned unchanged. */
export type Lookups = ReturnType<typeof createLookups>;

const decimal = /^[0-9]+$/;

export function createLookups(calls: Calls) {
  const { group_lookup, sender_id_means } = calls.options.behaviour;
  const groups = new Map<string, string>();

  const groupKey = async (given: string, known?: RecordIdentity): Promise<string | Reply> => {
    const isOther =
      (group_lookup === "id" && uuidForm.test(given)) ||
      (group_lookup === "uuid" && decimal.test(given));
    if (!isOther) return given;
    const [field, wanted] =
      group_lookup === "id" ? (["uuid", "id"] as const) : (["id", "uuid"] as const);
    const key = given.toLowerCase();
    const learn = (record: RecordIdentity): void => {
      const found = textOf(record[wanted]);
      if (textOf(record[field])?.toLowerCase() === key && found !== undefined)
        groups.set(key, found);
    };
    if (known !== undefined) learn(known);
    const refusal = groups.has(key) ? undefined : await eachListed(calls, "group.list", learn);
    if (refusal !== undefined) return refusal;
    const found = groups.get(key);
    if (found === undefined) throw notFound(`no group has the ${field} ${given}`, "group");
    return found;
  };

  return {
    /**
     * Passes a group by the key that the service looks up. A service that does not find a uuid may find the id that its
     * list shows.
     *
     * @returns the reply, or why the group cannot be found
     */
    withGroup: async (
      path: { readonly id: string },
      expected: RecordIdentity | undefined,
      act: (path: { readonly id: string }, expected: RecordIdentity) => Promise<Reply>,
    ): Promise<Reply> => {
      const key = await groupKey(path.id, expected);
      if (typeof key !== "string") return key;
      const wanted = { ...askedFor(path), ...expected };
      const reply = unlessNothing(path, await act({ id: key }, wanted));
      // With a record, another request than its fetch was refused. Some services take only numbers in a path.
      const isUnknown = [400, 404, 410, 422].includes(reply.status) && reply.before === undefined;
      if (!isUnknown || !uuidForm.test(key)) return reply;
      const id = await idOfUuid(calls, key);
      if (id !== undefined) return act({ id }, wanted);
      if (isAbsence(reply) !== false) return reply;
      throw notFound(`no group has the uuid ${key}`, "group");
    },
    /**
     * Returns a group's id for its uuid, or its uuid for its id, if the service looks up only the other (ruling 20); or the
     * service's refusal.
     *
     * @param known the group, if the caller has it
     * @throws SendctlError "not_found"
     */
    groupKey,
    /**
     * Returns a sender ID's id for its name, or its name for its id, if the service takes only the other (ruling 14); or the
     * service's refusal.
     *
     * @throws SendctlError "not_found"
     */
    senderId: async (text: string): Promise<string | Reply> => {
      const isId = decimal.test(text);
      const isInPath = !["", ".", ".."].includes(text);
      if (sender_id_means === "id" && !isId && isInPath) return idOfName(calls, text);
      return sender_id_means === "name" && isId ? nameOfId(calls, text) : text;
    },
  };
}

/** Returns the id of the sender ID with a name, or why it cannot be known. */
async function idOfName(calls: Calls, name: string): Promise<string | Reply> {
  const reply = await fetchCurrent(calls, "sender-id.fetch", { name }, undefined);
  if (!succeeded(reply) && isAbsence(reply) === false) return reply;
  const id = succeeded(reply) ? textOf(recordOf(reply)["id"]) : undefined;
  if (id === undefined) throw notFound(`no sender ID is named ${jsonText(name)}`, "sender-id");
  return id;
}

/** Returns the name of the sender ID with an id, which may be a name itself, or why it cannot be known. */
async function nameOfId(calls: Calls, id: string): Promise<string | Reply> {
  let isName = false;
  let name: string | undefined;
  const refusal = await eachListed(calls, "sender-id.list", (record) => {
    isName ||= record["name"] === id;
    if (textOf(record["id"]) === id) name = textOf(record["name"]);
  });
  const found = refusal ?? (isName ? id : name);
  if (found !== undefined) return found;
  throw notFound(`no sender ID has the name or the id ${id}`, "sender-id");
}

/** Returns the id of the group with a uuid; undefined if no list shows it. */
async function idOfUuid(calls: Calls, uuid: string): Promise<string | undefined> {
  let found: string | undefined;
  await eachListed(calls, "group.list", ({ id, uuid: shown }) => {
    if (textOf(shown)?.toLowerCase() === uuid.toLowerCase()) found ??= textOf(id);
  });
  return found;
}

function notFound(message: string, noun: "group" | "sender-id"): SendctlError {
  return new SendctlError("not_found", message, { hint: `sendctl ${noun} list --all` });
}

type ListName = "sender-id.list" | "group.list";

/**
 * Requests a page of a list, no larger than the service is known to allow if a smaller one will do (ruling 18). A
 * `sendctl serve` returns a cursor for the next one.
 */
export async function listPage(calls: Calls, name: ListName, query: PageQuery): Promise<Reply> {
  const { per_page_max: maxSize } = calls.options.behaviour;
  const isTooLarge =
    query.acceptsSmaller === true && maxSize !== undefined && Number(query.perPage) > maxSize;
  const isFromZero = query.page !== undefined && calls.listsFromZero.has(name);
  const reply = await calls.call(name, {
    query: {
      ...query,
      ...(isTooLarge ? { perPage: maxSize } : {}),
      ...(isFromZero ? { page: Number(query.page) - 1 } : {}),
    },
  });
  return fromOne(calls, name, query, reply);
}

/** Passes every record of a list to `take`; returns the refusal if the service refuses. */
export async function eachListed(
  calls: Calls,
  name: ListName,
  take: (record: ShownRecord) => void,
): Promise<Reply | undefined> {
  try {
    await eachRecord((query) => listPage(calls, name, query), take);
    return undefined;
  } catch (error) {
    if (isRefusal(error)) return error.reply;
    throw error;
  }
}

/** Counts pages from 1. A service counts them from 0 if its first page, with records, is page 0. */
function fromOne({ listsFromZero }: Calls, name: ListName, query: PageQuery, reply: Reply): Reply {
  if (!succeeded(reply)) return reply;
  const page = reply.envelope!.data as Page<unknown>;
  const { current_page, last_page, data } = page;
  if (query.page === undefined && current_page === 0 && data.length > 0) listsFromZero.add(name);
  if (!listsFromZero.has(name)) return reply;
  const counted = { ...page, current_page: current_page + 1, last_page: last_page + 1 };
  return { ...reply, envelope: { ...reply.envelope!, data: counted } };
}

/** What is known of a record after a fetch: the service shows it, has none, or said neither. */
type Presence = { readonly record: ShownRecord } | "absent" | "unknown";

/**
 * Returns what the reply to a fetch says of a record ("Absence" in the command-line contract). A 404 that is not in the
 * form of the service may be that of a gateway or of a missing route, and a refusal with a success status may have any
 * reason. For both, the list decides.
 *
 * @param wanted the name of a sender ID, or the id of a group
 */
export async function presenceAfter(
  calls: Calls,
  name: "group.fetch" | "sender-id.fetch",
  reply: Reply,
  wanted: { readonly id?: unknown; readonly name?: unknown },
): Promise<Presence> {
  if (succeeded(reply)) return { record: recordOf(reply) };
  const said = isAbsence(reply);
  if (said !== "perhaps") return said ? "absent" : "unknown";
  const listed = await listedPresence(calls, name, wanted);
  return typeof listed === "object" && "refusal" in listed ? "unknown" : listed;
}

/**
 * Returns the reply to a fetch. After a 404 or 410 of a gateway, which may not know the path, and after a success without a
 * record, the list decides: it shows the record, lacks it, or is refused.
 *
 * @throws SendctlError "not_found" if neither the service nor the list shows the record
 */
export async function orListed(
  calls: Calls,
  name: "group.fetch" | "sender-id.fetch",
  path: RecordPath,
  reply: Reply,
): Promise<Reply> {
  const isGone = reply.status === 404 || reply.status === 410;
  if (lacksRecord(reply) || (isGone && isOfGateway(reply))) return listed(calls, name, path, reply);
  return reply;
}

/** Returns whether a fetch succeeded without a record, which `decodeOperation` turns into a refusal. */
function lacksRecord({ status, text, envelope }: Reply): boolean {
  if (status >= 300 || envelope?.status !== false) return false;
  const body = readJson(text);
  return isObject(body) && readBoolean(body["status"]) === true;
}

/**
 * Returns the reply to a write, before which the record was fetched.
 *
 * @throws SendctlError "not_found" if that fetch succeeded without a record
 */
export function unlessNothing(path: RecordPath, reply: Reply): Reply {
  if (reply.before === undefined && lacksRecord(reply)) throw notShown(path);
  return reply;
}

/**
 * Returns the sender ID that the list shows, after a fetch that returned another one.
 *
 * @param error of that fetch, which is thrown if the list cannot be read
 */
export async function listedInstead(
  calls: Calls,
  path: { readonly name: string },
  error: SendctlError,
): Promise<Reply> {
  const found = await listedPresence(calls, "sender-id.fetch", path).catch(() => undefined);
  if (found === "absent") throw notShown(path);
  if (found === undefined || "refusal" in found) throw error;
  return doneReply(operations["sender-id.fetch"].message, found.record);
}

function notShown(path: RecordPath): SendctlError {
  const [noun, key] =
    "id" in path ? (["group", path.id] as const) : (["sender-id", path.name] as const);
  return notFound(`the service shows no ${noun.replace("-id", " ID")} ${jsonText(key)}`, noun);
}

/** Returns a record from the list, in place of the reply to a fetch. @throws as `orListed` */
async function listed(
  calls: Calls,
  name: "group.fetch" | "sender-id.fetch",
  path: RecordPath,
  reply: Reply,
): Promise<Reply> {
  const found = await listedPresence(calls, name, path);
  const { message } = operations[name];
  if (found === "absent") {
    if (reply.status >= 400)
      return { ...reply, envelope: { status: false, message: "", data: null } };
    throw notShown(path);
  }
  if ("refusal" in found) return found.refusal;
  return { ...doneReply(message, found.record), trail: reply.trail };
}

/** Returns whether the list shows a record, or why the list cannot be read. */
export async function listedPresence(
  calls: Calls,
  name: "group.fetch" | "sender-id.fetch",
  wanted: { readonly id?: unknown; readonly name?: unknown },
): Promise<{ readonly record: ShownRecord } | "absent" | { readonly refusal: Reply }> {
  const [list, field] =
    name === "group.fetch"
      ? (["group.list", "id"] as const)
      : (["sender-id.list", "name"] as const);
  let found: ShownRecord | undefined;
  const refusal = await eachListed(calls, list, (record) => {
    if (textOf(record[field]) === textOf(wanted[field])) found ??= record;
  });
  if (found !== undefined) return { record: found };
  return refusal === undefined ? "absent" : { refusal };
}
