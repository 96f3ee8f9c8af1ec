import type { Reply, ShownRecord } from "../../contract/service.ts";
import type { ExitCode } from "../../output/exit-codes.ts";
import { pickRecord } from "../../output/prompts/pick-record.ts";
import type { RecordView } from "../../output/views.ts";
import type { List } from "../../service/read-list.ts";
import { missing, readsInput, type SeveralOptions } from "../arguments.ts";
import type { Capabilities } from "../context.ts";
import type { Ask } from "../process.ts";
import { attemptEach, type Result, type Work } from "./attempts.ts";
import {
  type Failed,
  findRecords,
  type Found,
  groupsOf,
  type Kind,
  listAll,
  operate,
  refuseInvalidKey,
  withHints,
} from "./find.ts";
import { showFailure, showList } from "./report.ts";

/** What the verbs of records use. */
export type RecordContext = Pick<
  Capabilities,
  "ask" | "config" | "input" | "output" | "processes" | "service" | "target"
>;

/** The words of a command line that name records, and the options that say how to read them. */
export interface Given extends SeveralOptions {
  readonly words: readonly (string | undefined)[];
  /** Names the argument if it is missing (default: as in the help). */
  readonly label?: string;
}

/** What is done with the records of a command line. */
export interface Act {
  /** The participle of the summary: `fetched`. */
  readonly verb: string;
  readonly work: Work;
  /** Whether it changes records. Then each is changed once, and a message says so. */
  readonly isChange?: boolean;
  /** Number of records in progress at once (default: 16). */
  readonly concurrency?: number;
  /** Comments on the responses, before they are shown. */
  readonly comment?: (replies: readonly Reply[]) => Promise<void>;
  /** Shows the response for the only record. */
  readonly show?: (reply: Reply, record: Found) => Promise<ExitCode>;
}

/**
 * Carries out an act on the records of a command line: the only way from words to requests that do not delete. One record
 * is shown as a record, several as a list, with what failed.
 *
 * @param prepare asks for what is missing, once the records are found
 * @returns the exit code of the first failure
 * @throws SendctlError "usage" for words that cannot name a record
 */
export async function onRecords(
  context: RecordContext,
  kind: Kind,
  given: Given,
  prepare: () => Act | Promise<Act>,
): Promise<ExitCode> {
  const { output, ask } = context;
  const { isOne, find } = await nameRecords(context, kind, given);
  const found = await find();
  const act = await prepare();
  const { verb, work, isChange = false } = act;
  const records = isChange ? withoutRepeats(found) : found;
  const results = await withHints(kind, await attemptEach(context, records, work, act), ask);
  const replies = results.flatMap((result) => ("failure" in result ? [] : [result.reply]));
  if (replies.length > 0) await act.comment?.(replies);
  if (!isOne) return showList(output, kind, results, verb, isChange);
  const [result] = results as [Result];
  if ("failure" in result) return showFailure(output, result);
  if (act.show !== undefined) return act.show(result.reply, result);
  const shown = isChange ? { done: verb } : { isNarrated: false };
  return output.record(result.reply, kind.view, shown);
}

/** Returns the act that shows records: a group in a table with its number of contacts. */
export function fetching({ service, output, config, ask }: RecordContext, kind: Kind): Act {
  return {
    verb: "fetched",
    work: (record) => operate(service, kind, "fetch", record),
    show: async (reply, { expected }) => {
      const envelope = reply.envelope!;
      const data = envelope.data as ShownRecord;
      const isTable = config.settings.format === "table" && output.query === undefined;
      const contacts = isTable ? await contactsOf(ask, kind, data, expected) : undefined;
      const counted = { ...envelope, data: { ...data, contacts_count: contacts } };
      const shown = contacts === undefined ? reply : { ...reply, envelope: counted };
      return output.record(shown, kind.view, { isNarrated: false });
    },
  };
}

/** Returns a group's number of contacts, if the list shows it that was read for its name, or the embedded engine can tell. */
export async function contactsOf(
  ask: Ask,
  { resource }: Kind,
  { id, name }: ShownRecord,
  expected: Found["expected"],
): Promise<unknown> {
  if (resource !== "group") return undefined;
  const groups = expected ?? (await ask.groupsNamed?.(String(name)))?.find((one) => one.id === id);
  return groups?.contacts_count;
}

/**
 * Returns how many records a command line names, and how to find them.
 *
 * @returns `isOne` if one is named, or else chosen by the user; the result is a list otherwise, and always for words from
 *   standard input (`isRead`)
 * @throws SendctlError "usage" if none is named and prompting is not possible, and for `-0` without `-`
 */
export async function nameRecords(context: RecordContext, kind: Kind, given: Given) {
  const { ask, config, input } = context;
  const words = given.words.filter((word) => word !== undefined);
  const isRead = readsInput(words, given);
  const list = ask.list(`${kind.resource}.list`);
  const label = given.label ?? kind.label;
  const named = words.length === 0 ? [await chosen(ask, label, list, kind.view)] : words;
  const check = (word: string): void => refuseInvalidKey(word, label);
  const find = async (): Promise<readonly (Found | Failed)[]> => {
    named.forEach(check);
    const { readWords } = await import("./words.ts");
    const all = isRead ? await readWords(input, named, given, check) : named;
    return findRecords(kind, all, groupsOf(ask), config.settings.dryRun);
  };
  return { isOne: named.length === 1 && !isRead, isRead, find };
}

/** Asks for a record of a list. @throws SendctlError "usage" if prompting is not possible */
async function chosen(ask: Ask, label: string, list: List, view: RecordView): Promise<string> {
  const prompter = ask.prompter();
  if (prompter === undefined) throw missing(label);
  return pickRecord(prompter, list, view);
}

/**
 * Returns the key of a record of the embedded engine, even if another service is configured.
 *
 * @throws SendctlError "usage" for options that name another service, before prompting
 */
export async function localRecordKey(
  { ask, local }: Pick<Capabilities, "ask" | "local">,
  given: string | undefined,
  kind: Kind,
  label: string = kind.label,
): Promise<string> {
  const list: List = async (query) => (await local.service())[`${kind.resource}.list`]({ query });
  const word = given ?? (await chosen(ask, label, list, kind.view));
  const hint = ask.line([...listAll, "--local"], true);
  const found = await findRecords(kind, [word], { list, named: local.groupsNamed, hint }, false);
  const [record] = await withHints(kind, found, ask, list);
  if ("failure" in record!) throw record.failure;
  return record!.key;
}

/** Removes repeated records, even if named differently. */
export function withoutRepeats(records: readonly (Found | Failed)[]): readonly (Found | Failed)[] {
  const seen = new Set<string>();
  return records.filter(({ word, key }) => {
    const { size } = seen;
    return seen.add(key ?? `name:${word}`).size > size;
  });
}
