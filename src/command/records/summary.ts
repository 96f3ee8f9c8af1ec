import { httpCause } from "../../service/refusals.ts";
import { checkLine, joinedChecks } from "../../core/error.ts";
import type { Output } from "../../output/output.ts";
import { exitCodeOfKind, exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import { safeText } from "../../core/safe-text.ts";
import type { RecordView } from "../../output/views.ts";
import { stopKinds, type Attempt, type Failure } from "./attempt-each.ts";

/** Maximum number of records named on one line; `--json` has all of them. */
const maxNamed = 20;

/** Returns the records on one line, as the user named them. */
function namesOf(attempts: readonly Attempt[]): string {
  const words = attempts.slice(0, maxNamed).map(({ record }) => safeText(record.word));
  const more = attempts.length - words.length;
  return more > 0 ? `${words.join(", ")} and ${more} more` : words.join(", ");
}

/** The result of several attempts. */
export interface Summary {
  /** One line: `2 of 3 groups deleted`. */
  readonly message: string;
  readonly done: readonly (Attempt & { readonly reply: unknown })[];
  readonly failed: readonly (Attempt & { readonly failure: Failure })[];
  /** The failure that determines the exit code: a signal, or else the first one. */
  readonly first: Failure | undefined;
}

/** Summarises several attempts. @param verb a participle: `deleted`, `fetched` */
export function summaryOf(
  attempts: readonly Attempt[],
  { one, many }: RecordView,
  verb: string,
): Summary {
  const done = attempts.filter((attempt) => "reply" in attempt);
  const failed = attempts.filter((attempt) => "failure" in attempt);
  const count = attempts.length;
  const noun = count === 1 ? one : many;
  const message =
    failed.length === 0 ? `${count} ${noun} ${verb}` : `${done.length} of ${count} ${noun} ${verb}`;
  const stop = failed.find(({ failure }) => stopKinds.has(failure.kind));
  const first = (stop ?? failed[0])?.failure;
  return { message, done, failed, first: first && withWholeHint(first, failed) };
}

/** Returns a failure whose hint checks every record that may have been changed. */
function withWholeHint(failure: Failure, failed: Summary["failed"]): Failure {
  const { kind, message, httpStatus, hint, check } = failure;
  if (check === undefined) return failure;
  const unknown = failed.filter((attempt) => attempt.failure.check !== undefined);
  return { kind, message, httpStatus, hint: hintOf(unknown) ?? hint };
}

/**
 * Prints why operations failed, followed by the records that succeeded and those that did not.
 *
 * @returns the exit code of the first failure
 */
export async function showSummary(
  output: Pick<Output, "say" | "printError">,
  { message, done, failed, first }: Summary,
  verb: string,
): Promise<ExitCode> {
  if (first === undefined) return exitCodes.done;
  const byMessage = new Map<string, (typeof failed)[number][]>();
  for (const attempt of failed) {
    const message = safeText(attempt.failure.message);
    const alike = byMessage.get(message) ?? [];
    alike.push(attempt);
    byMessage.set(message, alike);
  }
  for (const [text, attempts] of byMessage) {
    const { record, failure } = attempts[0]!;
    const isNamed = attempts.length === 1 && text.includes(safeText(record.word));
    const cause =
      failure.httpStatus === undefined ? "" : httpCause(text, failure.httpStatus, failure.kind);
    const line = `${isNamed ? text : `${namesOf(attempts)}: ${text}`}${cause}`;
    const advice = hintOf(attempts);
    const hint = advice === undefined ? "" : `\nhint: ${safeText(advice)}`;
    await output.printError(`${line}${hint}`);
  }
  await output.say(done.length === 0 ? message : `${message}: ${namesOf(done)}`);
  const unknown = failed.filter(({ failure }) => isUnknown(failure));
  const left = failed.filter(({ failure }) => !isUnknown(failure));
  if (unknown.length > 0) await output.say(`Outcome unknown: ${namesOf(unknown)}`);
  if (left.length > 0) await output.say(`Not ${verb}: ${namesOf(left)}`);
  return exitCodeOfKind(first.kind);
}

/** Returns the hint of failures with the same message: one command that checks all records, if there is one. */
function hintOf(failed: Summary["failed"]): string | undefined {
  const checks = joinedChecks(failed.flatMap(({ failure }) => failure.check ?? []));
  return checks.length === 1 ? checkLine(checks[0]!) : failed[0]?.failure.hint;
}

/** Returns whether the record may have been changed despite the failure: an interrupted write has a hint. */
function isUnknown({ kind, hint }: Failure): boolean {
  return kind === "outcome_unknown" || (stopKinds.has(kind) && hint !== undefined);
}

/** Returns the failures as listed by `--json`. */
export function failureList(failed: Summary["failed"]): readonly object[] {
  return failed.map(({ record, failure: { kind, httpStatus, message, hint } }) => ({
    record: record.word,
    kind,
    http_status: httpStatus ?? null,
    message,
    hint: hint ?? null,
  }));
}
