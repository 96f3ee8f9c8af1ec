import type { OperationHandler, RecordIdentity, Reply, Service } from "../../contract/service.ts";
import type { ShownRecord } from "../../contract/service.ts";
import { reworded, SendctlError } from "../../core/error.ts";
import { firstOf, shellWord } from "../../core/text.ts";
import { groupView, senderIdView, type RecordView } from "../../output/views.ts";
import { type List, eachRecord } from "../../service/read-list.ts";
import { failureOf } from "../../service/refusals.ts";
import type { Ask } from "../process.ts";
import { nearestNames, newestRecords } from "./names.ts";

/** A kind of record that words of a command line name. */
export interface Kind {
  readonly resource: "sender-id" | "group";
  /** The argument's name in the help. */
  readonly label: "NAME" | "GROUP";
  readonly view: RecordView;
}

/** Sender IDs are identified by name; groups by id, uuid or name. */
export const senderIdKind: Kind = { resource: "sender-id", label: "NAME", view: senderIdView };
export const groupKind: Kind = { resource: "group", label: "GROUP", view: groupView };

/** A record that a word names. */
export interface Found {
  readonly word: string;
  /** The id, uuid or name in the path of its requests. */
  readonly key: string;
  /** What was shown of it: in the list, for a group found by its name, or to the user who confirmed its delete. */
  readonly expected?: Listed | undefined;
}

/** What a list shows of a record. */
interface Listed extends RecordIdentity {
  readonly contacts_count?: unknown;
}

/** A word whose record was not found, or for which nothing was done. */
export interface Failed {
  readonly word: string;
  /** Undefined if no record was found by its name. */
  readonly key?: string;
  readonly failure: SendctlError;
  /** The refusal of the service, if that is the failure. */
  readonly refusal?: Reply;
}

/** Fetches or deletes a record. */
export function operate(
  service: Service,
  { resource }: Kind,
  verb: "fetch" | "delete",
  { key, expected }: Omit<Found, "word">,
): Promise<Reply> {
  const operation: OperationHandler = service[`${resource}.${verb}`];
  const path = resource === "group" ? { id: key } : { name: key };
  return operation({ path, expected } as never);
}

/** Maximum number of characters of a key: no server takes a longer URL. */
const maxKeyLength = 65_536;

/** Rejects a key that cannot be part of a URL. @throws SendctlError "usage" */
export function refuseInvalidKey(key: string, name: string): void {
  if (key.length > maxKeyLength) {
    const message = `invalid ${name} "${key.slice(0, 40)}…": it has ${key.length} characters`;
    throw new SendctlError("usage", message, { hint: "pass one record a line" });
  }
  if (key !== "" && key !== "." && key !== ".." && key.isWellFormed()) return;
  throw new SendctlError("usage", `invalid ${name} "${key}"`, {
    hint: "it is part of a URL, so it cannot be empty, . or ..",
  });
}

const decimal = /^\d+$/;
const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Returns whether a key is the name of a group: neither a decimal id nor a uuid. */
export function isGroupName(key: string, { resource }: Kind): boolean {
  return resource === "group" && !decimal.test(key) && !uuid.test(key);
}

/** Marks a key as a name even if it looks like an id: `name:12`. */
export const namePrefix = "name:";

/** Returns the group name that a key refers to. */
function nameIn(key: string): string {
  return key.startsWith(namePrefix) ? key.slice(namePrefix.length) : key;
}

/** Finds groups by their names. */
export interface GroupLookup {
  readonly list: List;
  /** Returns the groups with a name. Undefined if only the list has them, because the service has no search. */
  readonly named: ((name: string) => Promise<readonly ShownRecord[]>) | undefined;
  /** The command that lists the groups. */
  readonly hint: string;
}

/** The command that lists all groups. */
export const listAll = ["group", "list", "--all"];

/** Returns the lookup of the chosen service. */
export function groupsOf(ask: Ask): GroupLookup {
  return { list: ask.list("group.list"), named: ask.groupsNamed, hint: ask.line(listAll) };
}

/**
 * Returns all groups with each name, by the key given for it. A list is read once for all names.
 *
 * @param observe receives each group of the list
 * @throws SendctlError with the kind of the refusal if the service refuses to list groups; "usage" in a dry run
 */
export async function groupsNamed(
  keys: readonly string[],
  { list, named }: GroupLookup,
  isDryRun: boolean,
  observe?: (record: ShownRecord) => void,
): Promise<ReadonlyMap<string, readonly Listed[]>> {
  if (isDryRun) {
    const message = `--dry-run cannot look up the group named "${nameIn(keys[0]!)}"`;
    throw new SendctlError("usage", message, { hint: "pass the id or the uuid of the group" });
  }
  const groupsByName = new Map(keys.map((key) => [nameIn(key), [] as Listed[]]));
  const take = (record: ShownRecord): void => {
    observe?.(record);
    const { id, uuid, name, created_at, contacts_count } = record;
    if (typeof name !== "string") return;
    groupsByName.get(name)?.push({ id, uuid, name, created_at, contacts_count });
  };
  if (named !== undefined) {
    for (const name of groupsByName.keys()) (await named(name)).forEach(take);
  }
  const refused = named === undefined ? await eachRecord(list, take) : undefined;
  if (refused !== undefined) throw failureOf(refused);
  return new Map(keys.map((key) => [key, groupsByName.get(nameIn(key))!]));
}

/** Maximum number of ids listed in an error. */
const maxListed = 20;

/** Returns the only one of the groups with a name, of which there is at least one. @throws SendctlError "usage" for several */
export function onlyGroup(word: string, groups: readonly Listed[]): Found {
  const ids = groups.map(({ id }) => String(id));
  if (ids.length === 1) return { word, key: ids[0]!, expected: groups[0] };
  const message = `${ids.length} groups are named "${nameIn(word)}": ids ${firstOf(ids, maxListed)}`;
  throw new SendctlError("usage", message, { hint: "pass one of the ids" });
}

/**
 * Returns the record that each word names. A name that no group has is a failure of its word alone.
 *
 * @throws SendctlError "usage" for a name shared by several groups, and for any name in a dry run
 */
export async function findRecords(
  kind: Kind,
  words: readonly string[],
  lookup: GroupLookup,
  isDryRun: boolean,
): Promise<readonly (Found | Failed)[]> {
  const names = words.filter((word) => isGroupName(word, kind));
  const found = names.length === 0 ? undefined : await groupsNamed(names, lookup, isDryRun);
  return words.map((word) => {
    const groups = found?.get(word);
    if (groups === undefined) return { word, key: word };
    if (groups.length > 0) return onlyGroup(word, groups);
    const message = `no group is named "${nameIn(word)}"`;
    return { word, failure: new SendctlError("not_found", message, { hint: lookup.hint }) };
  });
}

/**
 * Adds the nearest names to the failures of records that do not exist. A script sends no further request for that, except
 * for the name of a group, and for a number, which may be meant as one.
 */
export async function withHints<Result extends object>(
  kind: Kind,
  results: readonly (Result | Failed)[],
  ask: Pick<Ask, "list" | "prompter">,
  list = ask.list(`${kind.resource}.list`),
): Promise<readonly (Result | Failed)[]> {
  const isHinted = (result: Result | Failed): result is Failed => {
    if (!("failure" in result) || result.failure.kind !== "not_found") return false;
    const mayBeName = kind.resource === "group" && decimal.test(result.word);
    return result.key === undefined || mayBeName || ask.prompter() !== undefined;
  };
  if (!results.some(isHinted)) return results;
  const records = await newestRecords(list).catch(() => []);
  return results.map((result) => {
    if (!isHinted(result)) return result;
    const { word, failure } = result;
    const hint = nearest(word, records, kind) ?? failure.hint;
    return { ...result, failure: reworded(failure, failure.message, { hint }) };
  });
}

/** Returns which of the records may have been meant by a word that names none. */
function nearest(word: string, records: readonly ShownRecord[], kind: Kind): string | undefined {
  if (kind.resource === "sender-id") return nearestNames(word, records, false);
  if (isGroupName(word, kind)) return nearestNames(nameIn(word), records, true);
  const isName = records.some(({ name }) => name === word);
  return isName ? `for the group named ${word}: ${shellWord(`${namePrefix}${word}`)}` : undefined;
}
