import { succeeded, type RecordIdentity, type Reply } from "../../contract/service.ts";
import {
  checkLine,
  errorObject,
  isStop,
  joinedChecks,
  reworded,
  SendctlError,
  DryRunEnded,
  stoppedBy,
  type ErrorKind,
} from "../../core/error.ts";
import { firstOf, safeText } from "../../core/text.ts";
import { exitCodeOfKind, exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import type { Output } from "../../output/output.ts";
import { accepted, type RecordView } from "../../output/views.ts";
import { failureOf, failureText, trailText } from "../../service/refusals.ts";
import type { Capabilities } from "../context.ts";
import type { FoundKey } from "./single.ts";

/** A record named on the command line or standard input. */
export interface NamedRecord {
  readonly word: string;
  /** The key for its operations, or why no such record was found. */
  readonly key: string | SendctlError;
  /** What was shown of the record: in the list, for a group found by its name, or to the user who confirmed. */
  readonly expected?: RecordIdentity | undefined;
}

/** The result for a record: the service's response, or why there is none. */
export type Attempt = { readonly record: NamedRecord } & (
  | { readonly reply: Reply }
  | { readonly failure: SendctlError }
);

type Failed = readonly (Attempt & { readonly failure: SendctlError })[];

/** Concurrent requests; the same limit as in the remote client. */
export const defaultConcurrency = 16;

const notSent = "interrupted before its request was sent";

/** Errors that are not specific to a record: all other records would fail in the same way. */
const fatalKinds: ReadonlySet<ErrorKind> = new Set(["usage", "auth", "output", "defect"]);

/**
 * Carries out an operation on each record. If one fails, the others continue; a signal prevents further ones
 * from starting.
 *
 * @param maxConcurrent number of records in progress at once
 * @param handlesSignals whether a signal ends the attempts but lets the command report them
 * @returns the result for each, in the order of the records
 * @throws SendctlError for errors that affect every record; DryRunEnded in a dry run
 */
export async function attemptEach(
  { output, config, processes }: Pick<Capabilities, "output" | "config" | "processes">,
  records: readonly NamedRecord[],
  work: (record: FoundKey) => Promise<Reply>,
  maxConcurrent = defaultConcurrency,
  handlesSignals = true,
): Promise<readonly Attempt[]> {
  const attempts: Attempt[] = [];
  const progress = output.progress();
  let stopped: SendctlError | undefined;
  let shown: DryRunEnded | undefined;
  let done = 0;
  if (handlesSignals) {
    processes.onSignal(["SIGINT", "SIGTERM"], (signal) => {
      stopped ??= stoppedBy(signal, notSent);
    });
  }
  const attempt = async (record: NamedRecord): Promise<Attempt> => {
    const { key, expected } = record;
    if (stopped !== undefined) return { record, failure: stopped };
    if (typeof key !== "string") return { record, failure: key };
    try {
      const reply = await work({ key, expected });
      return succeeded(reply) ? { record, reply } : { record, failure: failureOf(reply) };
    } catch (error) {
      if (error instanceof DryRunEnded) shown = error;
      else if (!(error instanceof SendctlError) || fatalKinds.has(error.kind)) throw error;
      else if (isStop(error.kind)) stopped ??= new SendctlError(error.kind, notSent);
      return { record, failure: error as SendctlError };
    }
  };
  const queue = records.entries();
  const worker = async (): Promise<void> => {
    for (const [index, record] of queue) {
      attempts[index] = await attempt(record);
      done += 1;
      await progress.update(`${done} of ${records.length}`);
    }
  };
  // A dry run prints the requests in the order of the records.
  const workers = config.settings.dryRun ? 1 : Math.min(maxConcurrent, records.length);
  try {
    await Promise.all(Array.from({ length: workers }, worker));
  } finally {
    await progress.done();
  }
  if (shown !== undefined) throw shown;
  return attempts;
}

/** The result of several attempts. */
export type Summary = ReturnType<typeof summaryOf>;

/**
 * Summarises several attempts.
 *
 * @param verb a participle: `deleted`, `fetched`
 * @param total number of records that were named
 * @returns also one line: `2 of 3 groups deleted`; and the failure that determines the exit code: a signal, or else the
 *   first one
 */
export function summaryOf(
  attempts: readonly Attempt[],
  { one, many }: RecordView,
  verb: string,
  total = attempts.length,
) {
  const done = attempts.filter((attempt) => "reply" in attempt);
  const failed = attempts.filter((attempt) => "failure" in attempt);
  const count = done.length === total ? `${total}` : `${done.length} of ${total}`;
  const number = done.filter(({ reply }) => reply.status === 202).length;
  const open = number === 0 ? "" : ` (${number} ${accepted})`;
  const message = `${count} ${total === 1 ? one : many} ${verb}${open}`;
  const stop = failed.find(({ failure }) => isStop(failure.kind));
  const first = (stop ?? failed[0])?.failure;
  if (first?.check === undefined) return { message, verb, done, failed, first };
  // Its hint checks every record that may have been changed.
  const hint = hintOf(failed.filter((attempt) => attempt.failure.check !== undefined));
  return { message, verb, done, failed, first: reworded(first, first.message, { hint }) };
}

/** Maximum number of records named on one line; `--json` has all of them. */
const maxNamed = 20;

/** Returns the records on one line, as the user named them. */
function namesOf(attempts: readonly Attempt[]): string {
  const words = attempts.map(({ record }) => safeText(record.word));
  return firstOf(words, maxNamed);
}

/**
 * Prints why operations failed, followed by the records that succeeded and those that did not.
 *
 * @returns the exit code of the first failure
 */
export async function showSummary(
  output: Pick<Output, "say" | "printError" | "database" | "isStderrTerminal">,
  { message, verb, done, failed, first }: Summary,
): Promise<ExitCode> {
  if (first === undefined) return exitCodes.done;
  const byMessage = new Map<string, (typeof failed)[number][]>();
  for (const attempt of failed) {
    const alike = byMessage.get(attempt.failure.message);
    if (alike === undefined) byMessage.set(attempt.failure.message, [attempt]);
    else alike.push(attempt);
  }
  for (const [text, alike] of byMessage) {
    const { record, failure } = alike[0]!;
    const isNamed = alike.length === 1 && text.includes(record.word);
    const names = isNamed ? "" : `${namesOf(alike)}: `;
    const failed = failureText(failure, output.database);
    const trails = alike
      .slice(0, maxNamed)
      .map((each) => trailText(each.failure.trail, output.isStderrTerminal()));
    const advice = hintOf(alike);
    const hint = advice === undefined ? "" : `\nhint: ${safeText(advice)}`;
    await output.printError(`${names}${failed}${trails.join("")}${hint}`);
  }
  await output.say(done.length === 0 ? message : `${message}: ${namesOf(done)}`);
  const unknown = failed.filter(({ failure }) => isUnknown(failure));
  const left = failed.filter(({ failure }) => !isUnknown(failure));
  if (unknown.length > 0) await output.say(`Outcome unknown: ${namesOf(unknown)}`);
  if (left.length > 0) await output.say(`Not ${verb}: ${namesOf(left)}`);
  return exitCodeOfKind(first.kind);
}

/** Returns the hint of failures with the same message: one command that checks all records, if there is one. */
function hintOf(failed: Failed): string | undefined {
  const checks = joinedChecks(failed.flatMap(({ failure }) => failure.check ?? []));
  return checks.length === 1 ? checkLine(checks[0]!) : failed[0]?.failure.hint;
}

/** Returns whether the record may have been changed despite the failure: an interrupted write has a hint. */
function isUnknown({ kind, hint }: SendctlError): boolean {
  return kind === "outcome_unknown" || (isStop(kind) && hint !== undefined);
}

/** Returns the failures as listed by `--json`. */
export function failureList(failed: Failed): readonly object[] {
  return failed.map(({ record, failure }) => ({ record: record.word, ...errorObject(failure) }));
}
