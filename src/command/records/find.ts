import { nouns, type RecordKind, decimalForm, uuidForm } from "../../contract/resources.ts";
import {
  isAbsence,
  type RecordIdentity,
  type Reply,
  type ShownRecord,
} from "../../contract/service.ts";
import { reworded, SendctlError } from "../../core/error.ts";
import { utf8Text } from "../../core/files.ts";
import {
  firstOf,
  plainWord,
  shellWord,
  isNear,
  looksAlike,
  quotedPair,
  visibleText,
} from "../../core/text.ts";
import { sameName, sameForPeople } from "../../core/names.ts";
import { pickRecord } from "../../output/prompts/pick-record.ts";
import { groupView, senderIdView, type RecordView } from "../../output/views.ts";
import { eachRecord, newestPage, type List } from "../../service/read-list.ts";
import { attempted, isCertainAbsence, isRefusal } from "../../service/refusals.ts";
import { missing, readsInput, standardInput, type SeveralOptions } from "../arguments.ts";
import type { Session } from "../session.ts";
import type { Ask } from "../process.ts";
import { jsonText } from "../../core/json-text.ts";

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
  /** What was shown of it: in a list, for a group found by name, or to confirm its delete. */
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
}

/** The words of a command line that name records, and the options that say how to read them. */
export interface Given extends SeveralOptions {
  readonly words: readonly (string | undefined)[];
}

/** How a command line names its records. */
export interface Named {
  /** Whether it names one record; otherwise, or with words from stdin, the result is a list. */
  readonly isOne: boolean;
  /** Whether standard input has the words. */
  readonly isRead: boolean;
}

/**
 * Returns how many records a command line names, and how to find them. For none, it prompts.
 *
 * @throws SendctlError "usage" for none if prompting is not possible, and for `-0` without `-`
 */
export async function nameRecords(
  { ask, config, input }: Pick<Session, "ask" | "config" | "input">,
  kind: Kind,
  given: Given,
) {
  const words = given.words.filter((word) => word !== undefined);
  const isRead = readsInput(words, given);
  const named = words.length === 0 ? [await chosen(ask, kind, kind.label)] : words;
  const check = (word: string, place?: string): void => refuseInvalidKey(word, kind.label, place);
  const find = async (): Promise<readonly (Found | Failed)[]> => {
    for (const word of named) check(word);
    const all = isRead ? await readWords(input, named, given, check) : named;
    const name = all.find((word) => isGroupName(word, kind));
    if (name !== undefined && config.settings.dryRun) {
      const message = `--dry-run cannot look up the group named "${nameIn(name)}"`;
      throw new SendctlError("usage", message, { hint: "pass the id or the uuid of the group" });
    }
    return findRecords(ask, kind, all);
  };
  return { isOne: named.length === 1 && !isRead, isRead, find };
}

/** Asks for a record of a list. @throws SendctlError "usage" if prompting is not possible */
async function chosen(ask: Ask, { resource, view }: Kind, label: string): Promise<string> {
  const prompter = ask.prompter();
  if (prompter === undefined) throw missing(label);
  return pickRecord(prompter, ask.list(`${resource}.list`), view);
}

/**
 * Returns the key of a record of the embedded engine, even if another service is configured.
 *
 * @throws SendctlError "usage" for options that name another service, before prompting
 */
export async function localRecordKey(
  { ask: chosenAsk, local }: Pick<Session, "ask" | "local">,
  given: string | undefined,
  kind: Kind,
  label: string = kind.label,
): Promise<string> {
  const ask: Ask = {
    ...chosenAsk,
    list: (name) => async (query) => (await local.service())[name]({ query }),
    groupsNamed: local.groupsNamed,
    ownView: undefined,
    line: (words) => chosenAsk.line([...words, "--local"], true),
  };
  const word = given ?? (await chosen(ask, kind, label));
  const [record] = await withHints(ask, kind, await findRecords(ask, kind, [word]));
  if ("failure" in record!) throw record.failure;
  return record!.key;
}

/** In bytes: longer input is not a list of records. */
const maxInputBytes = 64 * 1024 * 1024;

/**
 * Returns the words that name records, with `-` replaced by those on standard input: one per line,
 * or separated by NUL. Empty lines are skipped.
 *
 * @param check throws SendctlError for an unusable word; its message begins with the word's place
 * @throws SendctlError "usage" for input that is too long or not UTF-8
 */
export async function readWords(
  input: Session["input"],
  given: readonly string[],
  options: SeveralOptions,
  check: (word: string, place: string) => void = () => {},
): Promise<readonly string[]> {
  if (!given.includes(standardInput)) return given;
  const hint = "pass one record per line in UTF-8, or separate them by NUL with -0";
  const text = utf8Text(await input.read(maxInputBytes), maxInputBytes, "standard input", hint);
  const lines = text.split(options.null ? "\0" : /\r\n?|\n/);
  const read = lines.flatMap((line, index) => {
    const word = options.null ? line : plainWord(line);
    if (word === "") return [];
    check(word, `standard input, line ${index + 1}: `);
    return [word];
  });
  return given.flatMap((word) => (word === standardInput ? read : [word]));
}

/** Maximum number of characters of a key: no server takes a longer URL. */
const maxKeyLength = 65_536;

/** Rejects a key that cannot be part of a URL. @throws SendctlError "usage" */
function refuseInvalidKey(key: string, name: string, place = ""): void {
  if (key.length > maxKeyLength) {
    const message = `${place}invalid ${name} "${key.slice(0, 40)}…": it has ${key.length} characters`;
    throw new SendctlError("usage", message, { hint: "pass one record a line" });
  }
  if (key !== "" && key !== "." && key !== ".." && key.isWellFormed()) return;
  throw new SendctlError("usage", `${place}invalid ${name} "${key}"`, {
    hint: "it is part of a URL, so it cannot be empty, . or ..",
  });
}

/** Returns whether a key is the name of a group: neither a decimal id nor a uuid. */
export function isGroupName(key: string, { resource }: Kind): boolean {
  return resource === "group" && !decimalForm.test(key) && !uuidForm.test(key);
}

/** Marks a key as a name even if it looks like an id: `name:12`. */
export const namePrefix = "name:";

/** Returns the group name that a key refers to. */
function nameIn(key: string): string {
  return key.startsWith(namePrefix) ? key.slice(namePrefix.length) : key;
}

/** Maximum number of ids listed in an error. */
const maxListed = 20;

/**
 * Returns the record that each word names. Without a search in the service, one list is read for
 * all names of groups. A name that no group has fails only its word.
 *
 * @param observe receives each group that is read
 * @throws SendctlError "usage" for a name of several groups; the refusal's kind without a list
 */
export async function findRecords(
  ask: Ask,
  kind: Kind,
  words: readonly string[],
  observe?: (record: ShownRecord) => void,
): Promise<readonly (Found | Failed)[]> {
  const names = words.filter((word) => isGroupName(word, kind)).map(nameIn);
  const groupsByName = new Map(names.map((name) => [name, [] as Listed[]]));
  const take = (record: ShownRecord): void => {
    observe?.(record);
    const { id, uuid: uniqueId, name, created_at, contacts_count } = record;
    if (typeof name !== "string") return;
    groupsByName.get(name)?.push({ id, uuid: uniqueId, name, created_at, contacts_count });
  };
  if (ask.groupsNamed !== undefined) {
    for (const name of groupsByName.keys()) (await ask.groupsNamed(name)).forEach(take);
  } else if (names.length > 0) {
    await eachRecord(ask.list("group.list"), take, await ask.ownView?.("group"));
  }
  return words.map((word) => {
    if (!isGroupName(word, kind)) return { word, key: word };
    const name = nameIn(word);
    const groups = groupsByName.get(name)!;
    const ids = groups.map(({ id }) => String(id));
    if (ids.length === 1) return { word, key: ids[0]!, expected: groups[0] };
    if (ids.length === 0) {
      const hint = ask.line(["group", "list", "--all"]);
      return {
        word,
        failure: new SendctlError("not_found", `no group is named "${name}"`, { hint }),
      };
    }
    const message = `${ids.length} groups are named "${name}": ids ${firstOf(ids, maxListed)}`;
    throw new SendctlError("usage", message, { hint: "pass one of the ids" });
  });
}

/**
 * Adds the nearest names to the failures of records that do not exist. A script sends no further
 * request for that, except for the name of a group, and for a number, which may be meant as one.
 */
export async function withHints<Result extends object>(
  ask: Pick<Ask, "list" | "prompter">,
  kind: Kind,
  results: readonly (Result | Failed)[],
): Promise<readonly (Result | Failed)[]> {
  const isHinted = (result: Result | Failed): result is Failed => {
    if (!("failure" in result) || result.failure.kind !== "not_found") return false;
    // Without a refusal, something else does not exist, such as the sender ID of an update.
    if (!isRefusal(result.failure)) return result.key === undefined;
    const mayBeName = kind.resource === "group" && decimalForm.test(result.word);
    return mayBeName || ask.prompter() !== undefined;
  };
  if (!results.some(isHinted)) return results;
  const records = await newestRecords(ask.list(`${kind.resource}.list`)).catch(() => []);
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

/** Returns the newest records of a list, with one or two requests. @throws Refusal */
export async function newestRecords(list: List): Promise<readonly ShownRecord[]> {
  const reply = await newestPage(list);
  const page = (reply.envelope?.data ?? {}) as { readonly data?: unknown };
  if (!Array.isArray(page.data)) return [];
  return page.data.filter((record) => typeof record === "object" && record !== null);
}

/** Maximum number of names in a hint. */
const maxNames = 3;

/**
 * Returns a hint of records whose names differ from a word in case, a letter or an ending.
 *
 * @param hasIds whether the hint has their ids, too
 */
function nearestNames(
  word: string,
  records: readonly ShownRecord[],
  hasIds: boolean,
): string | undefined {
  const near = records.filter(({ name }) => {
    if (typeof name !== "string" || name === word) return false;
    return isNear(word, name) || sameName(word, name) || looksAlike(word, name);
  });
  if (near.length === 0) return undefined;
  let written = "";
  const names = near.slice(0, maxNames).map(({ id, name }) => {
    const [given, shown] = quotedPair(word, String(name));
    if (given !== visibleText(JSON.stringify(word))) written = ` You wrote ${given}`;
    return hasIds ? `${shown} (${String(id)})` : shown;
  });
  return `did you mean ${names.join(" or ")}?${written}`;
}

/**
 * Creates a search for a record whose name is the same for people as a new one. A service that
 * rewrites names would otherwise get another record from each run of a job.
 */
export function searchSimilar(noun: string, name: string) {
  let similar: ShownRecord | undefined;
  return {
    /** Receives each record of the list. */
    take: (record: ShownRecord): void => {
      if (sameName(name, record["name"])) similar ??= record;
    },
    /** @throws SendctlError "conflict" if there is one */
    refuse: (): void => {
      if (similar === undefined) return;
      const [stored, id] = [String(similar["name"]), String(similar["id"])];
      const { message, hint } = sameForPeople(noun, name, stored, id);
      throw new SendctlError("conflict", `${message}; nothing was created`, { hint });
    },
  };
}

/**
 * Returns the fetch of a listed record; undefined if this user created it and it was deleted since.
 *
 * @param known the ids of the listed records, of which such a record is none
 * @throws Refusal; SendctlError "differences" if the record may just be deleted
 */
export async function fetchedListed(
  kind: RecordKind,
  { id, name }: ShownRecord,
  fetch: () => Promise<Reply>,
  known: Set<unknown>,
): Promise<Reply | undefined> {
  const fetched = await attempted(fetch());
  if (!isRefusal(fetched)) return fetched;
  if (isCertainAbsence(fetched.reply)) {
    known.delete(id);
    return undefined;
  }
  if (isAbsence(fetched.reply) !== true) throw fetched;
  const message = `the list shows the ${nouns[kind]} ${jsonText(name)}, but a fetch does not find it; nothing was created`;
  throw new SendctlError("differences", message, { hint: "repeat the command in a minute" });
}
