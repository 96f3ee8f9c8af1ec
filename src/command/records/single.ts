import { type RecordIdentity, type Reply, type ShownRecord } from "../../contract/service.ts";
import { SendctlError } from "../../core/error.ts";
import { firstOf, shellWord } from "../../core/text.ts";
import { pickRecord } from "../../output/prompts/pick-record.ts";
import { groupView, senderIdView, type RecordView } from "../../output/views.ts";
import { type List, eachRecord } from "../../service/read-list.ts";
import { failureOf, kindOfReply } from "../../service/refusals.ts";
import { missing } from "../arguments.ts";
import { nearestNames, newestRecords } from "./names.ts";
import type { Capabilities } from "../context.ts";
import type { Ask } from "../process.ts";

/** The list that a record is chosen from, and how to show it. */
interface RecordChoice {
  /** The argument's name in the help. */
  readonly name: "NAME" | "GROUP";
  readonly list: "sender-id.list" | "group.list";
  readonly view: RecordView;
}

/** Sender IDs are identified by name; groups by id, uuid or name. */
export const senderIdChoice: RecordChoice = {
  name: "NAME",
  list: "sender-id.list",
  view: senderIdView,
};
export const groupChoice: RecordChoice = { name: "GROUP", list: "group.list", view: groupView };

/** The key of a record, and what the list showed of a group that was found by its name. */
export interface FoundKey {
  readonly key: string;
  readonly expected?: Listed | undefined;
  /** Whether the name of the record must be the key to the letter, because it will be deleted. */
  readonly isExact?: boolean;
}

/** What a list shows of a group. */
interface Listed extends RecordIdentity {
  readonly contacts_count?: unknown;
}

/** A kind of record that can be fetched. */
export interface FetchableKind extends RecordChoice {
  readonly fetch: (record: FoundKey) => Promise<Reply>;
}

/** A kind of record that can be deleted. */
export interface DeletableKind extends FetchableKind {
  readonly delete: (record: FoundKey) => Promise<Reply>;
  /** Returns the description of a record for the question. */
  readonly describe: (key: string, record: ShownRecord) => string | Promise<string>;
  /** Returns what else is deleted with this number of records, after a space: ` and its contacts`. */
  readonly consequence: (count: number) => string;
}

/**
 * Returns the key of a record: the given key, the user's choice, or the id of the group with the given name.
 *
 * @param label names the argument if it is missing
 * @throws SendctlError "usage" for `.`, `..` and an empty key, which cannot be part of a URL, and for a name
 *   shared by several groups; "not_found" for an unknown group name
 */
export async function recordKey(
  { ask, config }: Pick<Capabilities, "ask" | "config">,
  given: string | undefined,
  choice: RecordChoice,
  label: string = choice.name,
): Promise<FoundKey> {
  const key = given ?? (await chosen(ask, label, ask.list(choice.list), choice));
  refuseInvalidKey(key, label);
  return isGroupName(key, choice)
    ? groupNamed(key, groupsOf(ask), config.settings.dryRun)
    : { key };
}

/**
 * Returns the key of a record of the embedded engine, even if another service is configured.
 *
 * @throws SendctlError "usage" for options that name another service, before prompting
 */
export async function localRecordKey(
  { ask, local }: Pick<Capabilities, "ask" | "local">,
  given: string | undefined,
  choice: RecordChoice,
  label: string = choice.name,
): Promise<string> {
  const list: List = async (query) => (await local.service())[choice.list]({ query });
  const key = given ?? (await chosen(ask, label, list, choice));
  if (key === "" || !isGroupName(key, choice)) return key;
  const hint = ask.line([...listAll, "--local"], true);
  return (await groupNamed(key, { list, named: local.groupsNamed, hint }, false)).key;
}

/**
 * Adds the nearest names to a refusal of a record that does not exist. A script sends no further request for that, except
 * for a number, which may be meant as the name of a group.
 */
export async function withHint(
  { ask }: Pick<Capabilities, "ask">,
  reply: Reply,
  { key }: FoundKey,
  kind: RecordChoice,
): Promise<Reply> {
  if (kindOfReply(reply) !== "not_found") return reply;
  const mayBeName = kind.list === "group.list" && decimal.test(key);
  if (!mayBeName && ask.prompter() === undefined) return reply;
  const hint = await hintFor(key, ask.list(kind.list), kind);
  return hint === undefined ? reply : { ...reply, hint };
}

/** Returns which records may have been meant by a key that none has. */
async function hintFor(key: string, list: List, choice: RecordChoice): Promise<string | undefined> {
  const records = await newestRecords(list).catch(() => []);
  if (choice.list === "sender-id.list") return nearestNames(key, records, false);
  if (isGroupName(key, choice)) return nearestNames(nameIn(key), records, true);
  const isName = records.some(({ name }) => name === key);
  return isName ? `for the group named ${key}: ${shellWord(`${namePrefix}${key}`)}` : undefined;
}

/** Asks for a record of a list. @throws SendctlError "usage" if prompting is not possible */
async function chosen(ask: Ask, name: string, list: List, { view }: RecordChoice): Promise<string> {
  const prompter = ask.prompter();
  if (prompter === undefined) throw missing(name);
  return pickRecord(prompter, list, view);
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
export function isGroupName(key: string, { list }: RecordChoice): boolean {
  return list === "group.list" && !decimal.test(key) && !uuid.test(key);
}

/** Marks a key as a name even if it looks like an id: `name:12`. */
export const namePrefix = "name:";

/** Maximum number of ids listed in an error. */
const maxListed = 20;

/** Returns the group name that a key refers to. */
function nameIn(key: string): string {
  return key.startsWith(namePrefix) ? key.slice(namePrefix.length) : key;
}

/** Finds groups by their names. */
interface GroupLookup {
  readonly list: List;
  /** Returns the groups with a name. Undefined if only the list has them, because the service has no search. */
  readonly named: ((name: string) => Promise<readonly ShownRecord[]>) | undefined;
  /** The command that lists the groups. */
  readonly hint: string;
}

const listAll = ["group", "list", "--all"];

/** Returns the lookup of the chosen service. */
export function groupsOf(ask: Ask): GroupLookup {
  const hint = ask.line(listAll);
  return { list: ask.list("group.list"), named: ask.groupsNamed, hint };
}

/**
 * Returns the only group with a name. Names need not be unique.
 *
 * @param key the name, or `name:` and the name
 * @throws SendctlError "not_found"; "usage" if several groups have the name, and in a dry run
 */
async function groupNamed(key: string, lookup: GroupLookup, isDryRun: boolean): Promise<FoundKey> {
  const groups = (await groupsNamed([key], lookup, isDryRun)).get(key)!;
  if (groups.length > 0) return onlyGroup(key, groups);
  // The prefix keeps a number a name.
  const near = await hintFor(`${namePrefix}${nameIn(key)}`, lookup.list, groupChoice);
  throw unknownGroup(key, near ?? lookup.hint);
}

/**
 * Returns all groups with each name, by the key given for it. A list is read once for all names.
 *
 * @param observe receives each group of the list
 * @throws SendctlError with the kind of the refusal if the service refuses to list groups
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

/** Returns the only one of the groups with a name, of which there is at least one. @throws SendctlError "usage" for several */
export function onlyGroup(key: string, groups: readonly Listed[]): FoundKey {
  const name = nameIn(key);
  const ids = groups.map(({ id }) => String(id));
  if (ids.length === 1) return { key: ids[0]!, expected: groups[0] };
  const message = `${ids.length} groups are named "${name}": ids ${firstOf(ids, maxListed)}`;
  throw new SendctlError("usage", message, { hint: "pass one of the ids" });
}

/**
 * Returns a record for the question before its delete. A group has its contacts, if the list that was read for its name
 * shows them or the embedded engine can look them up.
 */
export async function withContacts(
  { ask, config }: Pick<Capabilities, "ask" | "config">,
  { list }: RecordChoice,
  shown: ShownRecord,
  expected: FoundKey["expected"],
): Promise<ShownRecord> {
  if (list !== "group.list") return shown;
  let listed = expected;
  if (listed === undefined && config.settings.baseUrl === undefined) {
    const key = `${namePrefix}${String(shown["name"])}`;
    const groups = await groupsNamed([key], groupsOf(ask), false);
    listed = groups.get(key)!.find(({ id }) => id === shown["id"]);
  }
  return { ...shown, contacts_count: listed?.contacts_count };
}

/** Returns the error for a key that names no group. */
export function unknownGroup(key: string, hint: string): SendctlError {
  return new SendctlError("not_found", `no group is named "${nameIn(key)}"`, { hint });
}
