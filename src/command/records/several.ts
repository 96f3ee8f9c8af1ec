import { targetName } from "../../config/target.ts";
import { operations } from "../../contract/operations.ts";
import { succeeded, type Reply, type ShownRecord } from "../../contract/service.ts";
import { errorObject, reworded, SendctlError } from "../../core/error.ts";
import { utf8Text } from "../../core/files.ts";
import { firstOf, plainWord, safeText } from "../../core/text.ts";
import type { ExitCode } from "../../output/exit-codes.ts";
import { onePageReply, recordLine } from "../../service/lines.ts";
import {
  confirm,
  mustConfirm,
  standardInput,
  unconfirmed,
  type DeleteSeveralOptions,
  type SeveralOptions,
} from "../arguments.ts";
import type { Capabilities } from "../context.ts";
import {
  attemptEach,
  defaultConcurrency,
  type Attempt,
  failureList,
  showSummary,
  summaryOf,
  type NamedRecord,
  type Summary,
} from "./attempts.ts";
import {
  groupsNamed,
  groupsOf,
  isGroupName,
  onlyGroup,
  refuseInvalidKey,
  unknownGroup,
  withContacts,
  type DeletableKind,
  type FetchableKind,
  type FoundKey,
} from "./single.ts";

type Context = Pick<Capabilities, "ask" | "config" | "input" | "output" | "processes">;

/**
 * Fetches several records concurrently and shows them as a list, in the order of the command line. Failures are in the
 * same JSON document, as `error`.
 *
 * @param verb the participle in the summary: `fetched`
 * @param maxConcurrent number of records in progress at once
 * @returns the exit code of the first failure
 */
export async function fetchSeveral(
  context: Context,
  given: readonly string[],
  options: SeveralOptions,
  kind: FetchableKind,
  verb = "fetched",
  maxConcurrent = defaultConcurrency,
): Promise<ExitCode> {
  const records = await readKeys(context, given, kind, options);
  const attempts = await attemptEach(context, records, kind.fetch, maxConcurrent);
  const summary = summaryOf(attempts, kind.view, verb);
  await showRecords(context, summary, kind, operations[kind.list].message);
  return showSummary(context.output, summary);
}

/**
 * Updates several records, and shows those that were updated as a list. A failure does not stop the others.
 *
 * @param update updates one of them
 * @returns the exit code of the first failure
 */
export async function updateSeveral(
  context: Context,
  given: readonly string[],
  options: SeveralOptions,
  kind: FetchableKind,
  update: (record: FoundKey) => Promise<Reply>,
): Promise<ExitCode> {
  const records = withoutRepeats(await readKeys(context, given, kind, options));
  const summary = summaryOf(await attemptEach(context, records, update), kind.view, "updated");
  await showRecords(context, summary, kind, summary.message);
  if (summary.first === undefined) await context.output.say(summary.message);
  return showSummary(context.output, summary);
}

/** Shows the records of the attempts that succeeded. @param message of the list if none failed */
async function showRecords(
  { output }: Context,
  summary: Summary,
  { view }: FetchableKind,
  message: string,
): Promise<void> {
  const lines = summary.done.map(({ reply }) => recordLine(reply));
  const reply =
    summary.first === undefined
      ? onePageReply(message, lines)
      : partialReply(onePageReply(summary.message, lines), summary);
  // Without columns that no record has, such as fields that only lists contain.
  const columns = view.columns.filter((name) => lines.some(({ record }) => name in record));
  const shown = lines.length === 0 ? view : { ...view, columns };
  await output.page(reply, shown, { isNarrated: false });
}

/**
 * Returns a list with missing records. Only its text, which `--json` prints, has the error: other formats show
 * the records of the envelope as usual.
 */
function partialReply(page: Reply, { message, failed, first }: Summary): Reply {
  const error = { ...errorObject(first!, message), failed: failureList(failed) };
  const text = page.text.replace('{"status":true', '{"status":false');
  return { ...page, text: `${text.slice(0, -1)},"error":${JSON.stringify(error)}}` };
}

/**
 * Deletes several records after confirmation, and reports which were deleted and which were not. A failure
 * does not stop the others.
 *
 * @throws SendctlError "usage" without `--yes` if prompting is not possible
 */
export async function deleteSeveral(
  context: Context,
  given: readonly string[],
  kind: DeletableKind,
  options: DeleteSeveralOptions,
): Promise<ExitCode> {
  const { dryRun } = context.config.settings;
  const mustAsk = !dryRun && mustConfirm(context, options.yes, "delete");
  // Standard input has the records, so it cannot have the answer.
  if (mustAsk && given.includes(standardInput)) throw unconfirmed("delete");
  const named = withoutRepeats(await readKeys(context, given, kind, options));
  return deleteNamed(context, named, kind, mustAsk, options.ignoreNotFound);
}

/**
 * Deletes records, after confirmation if `mustAsk`, and reports which were deleted and which were not.
 *
 * @param ignoresMissing whether to succeed for records that do not exist
 */
export async function deleteNamed(
  context: Context,
  named: readonly NamedRecord[],
  kind: DeletableKind,
  mustAsk: boolean,
  ignoresMissing = false,
): Promise<ExitCode> {
  const { output } = context;
  const wanted = mustAsk ? await confirmed(context, named, kind) : named;
  const attempts = withoutSame(await attemptEach(context, wanted, kind.delete));
  const notFound = ignoresMissing ? attempts.filter(isNotFound) : [];
  // Another address has neither the records nor a list.
  const hasList =
    notFound.length > 0 && succeeded(await context.ask.list(kind.list)({ perPage: 1 }));
  const missing = hasList ? notFound.map(({ record }) => record.word) : [];
  const left = hasList ? attempts.filter((attempt) => !isNotFound(attempt)) : attempts;
  const summary = summaryOf(left, kind.view, "deleted", attempts.length);
  const { message, done, failed, first } = summary;
  const data = {
    deleted: done.map(({ record }) => record.word),
    ...(ignoresMissing ? { not_found: missing } : {}),
    failed: failureList(failed),
  };
  await output.report({ message, data, text: "", ...(first && { error: first }) });
  if (first === undefined) await output.say(message);
  if (missing.length > 0) await output.say(safeText(`Not found: ${firstOf(missing)}`));
  return showSummary(output, summary);
}

function isNotFound(attempt: Attempt): boolean {
  return "failure" in attempt && attempt.failure.kind === "not_found";
}

/** Returns a key in the form in which a service shows it: uuids in lower case, ids without leading zeros. */
function shownKey(key: unknown): string {
  return String(key)
    .toLowerCase()
    .replace(/^0+(?=\d+$)/, "");
}

/** Removes the attempts that found nothing because another one has deleted the same record, named by another key. */
function withoutSame(attempts: readonly Attempt[]): readonly Attempt[] {
  const deleted = new Set(
    attempts.flatMap((attempt) => {
      const { id, uuid } = ("reply" in attempt && attempt.reply.before) || {};
      return [id, uuid].filter((key) => key !== undefined).map(shownKey);
    }),
  );
  return attempts.filter(
    (attempt) => !isNotFound(attempt) || !deleted.has(shownKey(attempt.record.key)),
  );
}

/** Asks for confirmation of the records that exist, and returns all of them. */
async function confirmed(
  context: Context,
  named: readonly NamedRecord[],
  kind: DeletableKind,
): Promise<readonly NamedRecord[]> {
  const { config, output } = context;
  const fetchExact = (record: FoundKey): Promise<Reply> => kind.fetch({ ...record, isExact: true });
  const found = await attemptEach(context, named, fetchExact, defaultConcurrency, false);
  const missing = found.filter(isNotFound).map(({ record }) => record.word);
  const lines: string[] = [];
  for (const attempt of found) {
    if (!("reply" in attempt)) continue;
    const { key, expected } = attempt.record;
    const shown = await withContacts(context, kind, dataOf(attempt.reply), expected);
    lines.push(await kind.describe(key as string, shown));
  }
  if (lines.length > 0) {
    for (const line of lines) await output.say(`  ${safeText(line)}`);
    if (missing.length > 0) await output.say(safeText(`Not found: ${firstOf(missing)}`));
    const records =
      lines.length === 1 ? `this ${kind.view.one}` : `these ${lines.length} ${kind.view.many}`;
    const from = targetName(config.settings);
    const question = `Delete ${records}${kind.consequence(lines.length)} from ${from}?`;
    await confirm(context, "delete", question, "Nothing deleted", "service");
  }
  return found.map((attempt) => {
    if ("reply" in attempt) return { ...attempt.record, expected: dataOf(attempt.reply) };
    return { ...attempt.record, key: attempt.failure };
  });
}

function dataOf(reply: Reply): ShownRecord {
  return reply.envelope!.data as ShownRecord;
}

/**
 * Returns the records named on the command line. `-` reads more from standard input, one per line or separated
 * by NUL.
 *
 * @throws SendctlError "usage" for a key that cannot be part of a URL and for a name shared by several groups
 */
async function readKeys(
  context: Context,
  given: readonly string[],
  kind: FetchableKind,
  options: SeveralOptions,
): Promise<readonly NamedRecord[]> {
  const check = (word: string): void => refuseInvalidKey(word, kind.name);
  for (const word of given) check(word);
  const words = await readWords(context.input, given, options, check);
  const names = words.filter((word) => isGroupName(word, kind));
  if (names.length === 0) return words.map((word) => ({ word, key: word }));
  const { ask, config } = context;
  const lookup = groupsOf(ask);
  const found = await groupsNamed(names, lookup, config.settings.dryRun);
  return words.map((word) => {
    const groups = found.get(word);
    if (groups === undefined) return { word, key: word };
    // An unknown name fails alone: the other records are attempted.
    return {
      word,
      ...(groups.length === 0 ? { key: unknownGroup(word, lookup.hint) } : onlyGroup(word, groups)),
    };
  });
}

/** Removes repeated records, even if named differently. */
function withoutRepeats(records: readonly NamedRecord[]): readonly NamedRecord[] {
  const seen = new Set<string>();
  return records.filter(({ word, key }) => {
    const { size } = seen;
    return seen.add(typeof key === "string" ? key : `name:${word}`).size > size;
  });
}

/** Checks a line of standard input. @throws the error of the check, with the number of the line */
function checkWord(word: string, line: number, check: (word: string) => void): void {
  try {
    check(word);
  } catch (error) {
    if (!(error instanceof SendctlError)) throw error;
    throw reworded(error, `standard input, line ${line}: ${error.message}`);
  }
}

/** In bytes: longer input is not a list of records. */
const maxInputBytes = 64 * 1024 * 1024;

/**
 * Returns the words that name records, with `-` replaced by those on standard input: one per line, or
 * separated by NUL. Empty lines are skipped.
 *
 * @param check throws SendctlError for a line that cannot be used
 * @throws SendctlError "usage" for input that is too long or not UTF-8, and for such a line, with its number
 */
export async function readWords(
  input: Capabilities["input"],
  given: readonly string[],
  options: SeveralOptions,
  check: (word: string) => void = () => {},
): Promise<readonly string[]> {
  if (!given.includes(standardInput)) return given;
  const hint = "pass one record per line in UTF-8, or separate them by NUL with -0";
  const text = utf8Text(await input.read(maxInputBytes), maxInputBytes, "standard input", hint);
  const lines = text.split(options.null ? "\0" : /\r\n?|\n/);
  const words = lines.map((word) => (options.null ? word : plainWord(word)));
  const read = words.filter((word, index) => {
    if (word !== "") checkWord(word, index + 1, check);
    return word !== "";
  });
  return given.flatMap((word) => (word === standardInput ? read : [word]));
}
