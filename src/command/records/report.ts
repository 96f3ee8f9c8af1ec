import { operations } from "../../contract/operations.ts";
import type { Reply } from "../../contract/service.ts";
import {
  checkLine,
  errorObject,
  isStop,
  joinedChecks,
  reworded,
  type SendctlError,
} from "../../core/error.ts";
import { firstOf, safeText } from "../../core/text.ts";
import { exitCodeOfKind, exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import type { Output } from "../../output/output.ts";
import { accepted } from "../../output/views.ts";
import { onePageReply, recordLine } from "../../service/lines.ts";
import { failureText, trailText } from "../../service/refusals.ts";
import type { Failed, Found, Kind } from "./find.ts";

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
 * @param total number of records that were named
 * @returns also one line: `2 of 3 groups deleted`; and the failure that determines the exit code: a signal, or else the
 *   first one
 */
export function summaryOf(
  results: readonly Result[],
  { view: { one, many } }: Kind,
  verb: string,
  total = results.length,
) {
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
 * @returns the exit code of the first failure
 */
export async function showList(
  output: Output,
  kind: Kind,
  results: readonly Result[],
  verb: string,
  isChange: boolean,
): Promise<ExitCode> {
  const { view, resource } = kind;
  const summary = summaryOf(results, kind, verb);
  const { done, failed, first } = summary;
  const isPlain = first === undefined && !isChange;
  const message = isPlain ? operations[`${resource}.list`].message : summary.message;
  const error = first && { ...errorObject(first, message), failed: failureList(failed) };
  const lines = done.map(({ reply }) => recordLine(reply));
  // Without columns that no record has, such as fields that only lists contain.
  const columns = view.columns.filter((name) => lines.some(({ record }) => name in record));
  const shown = lines.length === 0 ? view : { ...view, columns };
  await output.page(onePageReply(message, lines, error), shown, { isNarrated: false });
  if (first === undefined && isChange) await output.say(message);
  return showFailures(output, summary);
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
export async function showFailures(
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
    const trails = alike
      .slice(0, maxNamed)
      .map((each) => trailText(each.failure.details.trail, output.isStderrTerminal()));
    const advice = hintOf(alike);
    const hint = advice === undefined ? "" : `\nhint: ${safeText(advice)}`;
    await output.printError(`${names}${problem}${trails.join("")}${hint}`);
  }
  await output.say(done.length === 0 ? message : `${message}: ${namesOf(done)}`);
  const unknown = failed.filter(({ failure }) => isUnknown(failure));
  const left = failed.filter(({ failure }) => !isUnknown(failure));
  if (unknown.length > 0) await output.say(`Outcome unknown: ${namesOf(unknown)}`);
  if (left.length > 0) await output.say(`Not ${verb}: ${namesOf(left)}`);
  return exitCodeOfKind(first.kind);
}

/** Returns the hint of failures with the same message: one command that checks all records, if there is one. */
function hintOf(failed: readonly Failed[]): string | undefined {
  const checks = joinedChecks(failed.flatMap(({ failure }) => failure.details.check ?? []));
  return checks.length === 1 ? checkLine(checks[0]!) : failed[0]?.failure.hint;
}

/** Returns whether the record may have been changed despite the failure: an interrupted write has a hint. */
function isUnknown({ kind, hint }: SendctlError): boolean {
  return kind === "outcome_unknown" || (isStop(kind) && hint !== undefined);
}

/** Returns the failures as listed by `--json`. */
export function failureList(failed: readonly Failed[]): readonly object[] {
  return failed.map(({ word, failure }) => ({ record: word, ...errorObject(failure) }));
}
