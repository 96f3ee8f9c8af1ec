import type {
  Expecting,
  OperationHandler,
  Reply,
  Service,
  ShownRecord,
} from "../../contract/service.ts";
import {
  DryRunEnded,
  type ErrorKind,
  isStop,
  SendctlError,
  stoppedBy,
  checkLine,
  errorObject,
  joinedChecks,
  reworded,
} from "../../core/error.ts";
import { type ExitCode, exitCodeOfKind, exitCodes } from "../../output/exit-codes.ts";
import type { Session } from "../session.ts";
import type { Ask } from "../process.ts";
import { isRefusal, failureText } from "../../service/refusals.ts";
import {
  type Failed,
  type Found,
  type Given,
  type Kind,
  type Named,
  nameRecords,
  withHints,
} from "./find.ts";
import { operations } from "../../contract/operations.ts";
import { firstOf, safeText } from "../../core/text.ts";
import type { Output } from "../../output/output.ts";
import { accepted } from "../../output/views.ts";
import { onePageReply, recordLine } from "../../service/lines.ts";

/** What the verbs of records use. */
export type RecordContext = Pick<
  Session,
  "ask" | "config" | "input" | "output" | "processes" | "service" | "target"
>;

/** Carries out an operation on a record. @param update shows progress, if it is the only record */
export type Work = (record: Found, update?: (text: string) => Promise<void>) => Promise<Reply>;

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
  /** Returns the records that are left after a question about them. */
  readonly review?: (records: readonly (Found | Failed)[]) => Promise<readonly (Found | Failed)[]>;
  /** Shows the response for the only record. */
  readonly show?: (reply: Reply, record: Found) => Promise<ExitCode>;
  /** Shows the results for several records (default: as a list). */
  readonly showAll?: (summary: Summary) => Promise<void>;
}

/**
 * Carries out an act on the records of a command line: the only way from words to requests. One
 * record is shown as a record, several as a list, with what failed.
 *
 * @param prepare asks for what is missing, before the records are looked up
 * @returns the exit code of the first failure
 * @throws SendctlError "usage" for words that cannot name a record
 */
export async function onRecords(
  context: RecordContext,
  kind: Kind,
  given: Given,
  prepare: (named: Named) => Act | Promise<Act>,
): Promise<ExitCode> {
  const { find, ...named } = await nameRecords(context, kind, given);
  const act = await prepare(named);
  return actOn(context, kind, await find(), act, named.isOne);
}

/** Carries out an act on found records. @param isOne whether one was named, shown without a list */
export async function actOn(
  context: RecordContext,
  kind: Kind,
  found: readonly (Found | Failed)[],
  act: Act,
  isOne: boolean,
): Promise<ExitCode> {
  const { output, ask } = context;
  const { verb, work, concurrency, isChange = false } = act;
  const records = isChange ? withoutRepeats(found, kind) : found;
  const reviewed = (await act.review?.(records)) ?? records;
  const results = await withHints(
    ask,
    kind,
    await attemptEach(context, reviewed, work, concurrency),
  );
  const replies = results.flatMap((result) => ("failure" in result ? [] : [result.reply]));
  if (replies.length > 0) await act.comment?.(replies);
  if (!isOne) {
    const summary = summaryOf(results, kind, verb);
    await (act.showAll?.(summary) ?? showList(output, kind, summary, isChange));
    if (summary.first === undefined && isChange) await output.say(summary.message);
    return showFailures(output, summary);
  }
  const [result] = results as [Result];
  if ("failure" in result) throw result.failure;
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

/** Returns a group's number of contacts, if the list read for its name or the engine has it. */
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

/** Fetches or deletes a record. */
export function operate(
  service: Service,
  { resource }: Kind,
  verb: "fetch" | "delete",
  { key, expected, onRead }: Omit<Found, "word"> & Pick<Expecting, "onRead">,
): Promise<Reply> {
  const operation: OperationHandler = service[`${resource}.${verb}`];
  const path = resource === "group" ? { id: key } : { name: key };
  // Found by its name, it must have that name.
  return operation({ path, expected, onRead, isCurrent: expected !== undefined } as never);
}

/** Concurrent requests; the same limit as in the remote client. */
const defaultConcurrency = 16;

const notSent = "interrupted before its request was sent";

/** Errors that are not specific to a record: all other records would fail in the same way. */
const fatalKinds: ReadonlySet<ErrorKind> = new Set(["usage", "auth", "output", "defect"]);

/**
 * Carries out an operation on each record that was found. If one fails, the others continue, except
 * after a signal, a rejected key or any other error that is not specific to a record.
 *
 * @param concurrency number of records in progress at once; a dry run keeps their order
 * @returns the results in the order of the records, also after a signal, so that it can report them
 * @throws SendctlError for an error that every record ended with; DryRunEnded in a dry run
 */
export async function attemptEach(
  { output, config, processes }: Pick<Session, "output" | "config" | "processes">,
  records: readonly (Found | Failed)[],
  work: Work,
  concurrency = defaultConcurrency,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const progress = output.progress();
  const isOne = records.length === 1;
  let stopped: SendctlError | undefined;
  let fatal: SendctlError | undefined;
  let dryRun: DryRunEnded | undefined;
  let done = 0;
  const stop = (error: SendctlError): void => void (stopped ??= error);
  const ignoreSignals = processes.onSignal(["SIGINT", "SIGTERM"], (signal) =>
    stop(stoppedBy(signal, notSent)),
  );
  const attempt = async (record: Found): Promise<Result> => {
    const { word, key } = record;
    if (stopped !== undefined) return { word, key, failure: stopped };
    try {
      return { ...record, reply: await work(record, isOne ? progress.update : undefined) };
    } catch (error) {
      if (error instanceof DryRunEnded) dryRun = error;
      else if (isRefusal(error)) {
        if (error.reply.status === 401) stop(new SendctlError("auth", notSent));
      } else if (!(error instanceof SendctlError)) throw error;
      else if (isStop(error.kind)) stop(new SendctlError(error.kind, notSent));
      else if (fatalKinds.has(error.kind)) {
        fatal ??= error;
        stop(new SendctlError(error.kind, notSent));
      }
      return { word, key, failure: error as SendctlError };
    }
  };
  const queue = records.entries();
  const worker = async (): Promise<void> => {
    for (const [index, record] of queue) {
      results[index] = "failure" in record ? record : await attempt(record);
      done += 1;
      if (!isOne) await progress.update(`${done} of ${records.length}`);
    }
  };
  const workers = config.settings.dryRun ? 1 : Math.min(concurrency, records.length);
  try {
    await Promise.all(Array.from({ length: workers }, worker));
  } finally {
    ignoreSignals();
    await progress.done();
  }
  if (dryRun !== undefined) throw dryRun;
  const isAll = results.every(
    (result) => "failure" in result && result.failure.kind === fatal?.kind,
  );
  if (fatal !== undefined && isAll) throw fatal;
  return results;
}

/** Removes repeated records, also by name and id, a uuid in another case, or an id with zeros. */
function withoutRepeats(records: readonly (Found | Failed)[], { resource }: Kind) {
  const seen = new Set<string>();
  return records.filter(({ word, key }) => {
    const { size } = seen;
    const shown = resource === "group" ? key?.toLowerCase().replace(/^0+(?=\d+$)/, "") : key;
    return seen.add(shown ?? `name:${word}`).size > size;
  });
}

/** A record that something was done with, and the response of the service. */
export type Done = Found & { readonly reply: Reply };

/** The result for a record. */
export type Result = Done | Failed;

/** The results for several records, summarised. */
type Summary = ReturnType<typeof summaryOf>;

/**
 * Summarises the results for several records.
 *
 * @param verb a participle: `deleted`, `fetched`
 * @returns also one line: `2 of 3 groups deleted`; and the failure that determines the exit code: a
 *   signal, or else the first one
 */
function summaryOf(results: readonly Result[], { view: { one, many } }: Kind, verb: string) {
  const total = results.length;
  const done = results.filter((result): result is Done => !("failure" in result));
  const failed = results.filter((result) => "failure" in result);
  const count = done.length === total ? `${total}` : `${done.length} of ${total}`;
  const number = done.filter(({ reply }) => reply.status === 202).length;
  const open = number === 0 ? "" : ` (${number} ${accepted})`;
  const message = `${count} ${total === 1 ? one : many} ${verb}${open}`;
  const stop = failed.find(({ failure }) => isStop(failure.kind));
  const first = (stop ?? failed[0])?.failure;
  if (first?.details.check === undefined) return { message, verb, done, failed, first };
  // Its hint checks every record that may have been changed.
  const hint = hintOf(failed.filter(({ failure }) => failure.details.check !== undefined));
  return { message, verb, done, failed, first: reworded(first, first.message, { hint }) };
}

/**
 * Shows several records as a list, with what failed: in the same JSON document, as `error`.
 *
 * @param isChange whether they were changed, which the message says
 */
async function showList(
  output: Output,
  { view, resource }: Kind,
  summary: Summary,
  isChange: boolean,
): Promise<void> {
  const { done, failed, first } = summary;
  const isPlain = first === undefined && !isChange;
  const message = isPlain ? operations[`${resource}.list`].message : summary.message;
  const error = first && { ...errorObject(first, message), failed: failureList(failed) };
  const lines = done.map(({ reply }) => recordLine(reply));
  // Without columns that no record has, such as fields that only lists contain.
  const columns = view.columns.filter((name) => lines.some(({ record }) => name in record));
  const shown = lines.length === 0 ? view : { ...view, columns };
  await output.page(onePageReply(message, lines, error), shown, { isNarrated: false });
}

/** Maximum number of records named on one line; `--json` has all of them. */
const maxNamed = 20;

/** Returns the records on one line, as the user named them. */
function namesOf(results: readonly Result[]): string {
  const words = results.map(({ word }) => safeText(word));
  return firstOf(words, maxNamed);
}

/**
 * Prints why operations failed, followed by the records that succeeded and those that did not.
 *
 * @returns the exit code of the first failure
 */
async function showFailures(
  output: Pick<Output, "say" | "printError" | "database" | "isStderrTerminal">,
  { message, verb, done, failed, first }: Summary,
): Promise<ExitCode> {
  if (first === undefined) return exitCodes.done;
  const byMessage = new Map<string, Failed[]>();
  for (const each of failed) {
    const alike = byMessage.get(each.failure.message) ?? [];
    alike.push(each);
    byMessage.set(each.failure.message, alike);
  }
  for (const [text, alike] of byMessage) {
    const { word, failure } = alike[0]!;
    const isNamed = alike.length === 1 && text.includes(word);
    const names = isNamed ? "" : `${namesOf(alike)}: `;
    const problem = failureText(failure, output.database);
    const advice = hintOf(alike);
    const hint = advice === undefined ? "" : `\nhint: ${safeText(advice)}`;
    await output.printError(`${names}${problem}${hint}`);
  }
  await output.say(done.length === 0 ? message : `${message}: ${namesOf(done)}`);
  const unknown = failed.filter(({ failure }) => isUnknown(failure));
  const left = failed.filter(({ failure }) => !isUnknown(failure));
  if (unknown.length > 0) await output.say(`Outcome unknown: ${namesOf(unknown)}`);
  if (left.length > 0) await output.say(`Not ${verb}: ${namesOf(left)}`);
  return exitCodeOfKind(first.kind);
}

/** Returns the hint of failures with one message: the command that checks all records, if any. */
function hintOf(failed: readonly Failed[]): string | undefined {
  const checks = joinedChecks(failed.flatMap(({ failure }) => failure.details.check ?? []));
  return checks.length === 1 ? checkLine(checks[0]!) : failed[0]?.failure.hint;
}

/** Returns whether a record may be changed despite the failure: interrupted writes have a hint. */
function isUnknown({ kind, hint }: SendctlError): boolean {
  return kind === "outcome_unknown" || (isStop(kind) && hint !== undefined);
}

/** Returns the failures as listed by `--json`. */
export function failureList(failed: readonly Failed[]): readonly object[] {
  return failed.map(({ word, failure }) => ({ record: word, ...errorObject(failure) }));
}
