import type { Output } from "../../output/output.ts";
import { exitCodeOfKind, exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import { safeText } from "../../output/safe-text.ts";
import type { RecordView } from "../../output/views.ts";
import { stops, type Attempt, type Failure } from "./attempt-each.ts";

/** Records that one line names; `--json` has all of them. */
const mostNamed = 20;

/** Returns the words of some records on one line. */
function namesOf(attempts: readonly Attempt[]): string {
  const words = attempts.slice(0, mostNamed).map(({ record }) => safeText(record.word));
  const more = attempts.length - words.length;
  return more > 0 ? `${words.join(", ")} and ${more} more` : words.join(", ");
}

/** What several attempts came to. */
export interface Summary {
  /** One line: `2 of 3 groups deleted`. */
  readonly message: string;
  readonly done: readonly (Attempt & { readonly reply: unknown })[];
  readonly failed: readonly (Attempt & { readonly failure: Failure })[];
  /** The failure that decides the exit code: the signal that came, or the first one. */
  readonly first: Failure | undefined;
}

/** @param verb a participle: deleted, fetched */
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
  const stop = failed.find(({ failure }) => stops.has(failure.kind));
  return { message, done, failed, first: (stop ?? failed[0])?.failure };
}

/**
 * Shows people why records were not done, and then what was done and what was not.
 *
 * @returns the exit code of the first failure
 */
export async function showSummary(
  output: Pick<Output, "say" | "complain">,
  { message, done, failed, first }: Summary,
  verb: string,
): Promise<ExitCode> {
  if (first === undefined) return exitCodes.done;
  const byText = new Map<string, Attempt[]>();
  for (const attempt of failed) {
    const text = textOf(attempt.failure);
    const alike = byText.get(text) ?? [];
    alike.push(attempt);
    byText.set(text, alike);
  }
  for (const [text, attempts] of byText) {
    const isNamed = attempts.length === 1 && text.includes(safeText(attempts[0]!.record.word));
    await output.complain(isNamed ? text : `${namesOf(attempts)}: ${text}`);
  }
  await output.say(done.length === 0 ? message : `${message}: ${namesOf(done)}`);
  await output.say(`Not ${verb}: ${namesOf(failed)}`);
  return exitCodeOfKind(first.kind);
}

function textOf({ message, hint }: Failure): string {
  return hint === undefined ? safeText(message) : `${safeText(message)}\nhint: ${safeText(hint)}`;
}

/** Returns the failures as `--json` lists them. */
export function failureList(failed: Summary["failed"]): readonly object[] {
  return failed.map(({ record, failure: { kind, httpStatus, message, hint } }) => ({
    record: record.word,
    kind,
    http_status: httpStatus ?? null,
    message,
    hint: hint ?? null,
  }));
}
