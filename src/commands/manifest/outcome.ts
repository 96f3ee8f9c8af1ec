import { type ErrorKind, isStop } from "../../core/error.ts";
import { type Outcome, pendingAfter } from "../../manifest/plan/execute.ts";
import type { ReportedError } from "../../output/formats/format.ts";

/** Errors that come again when the same step is repeated. */
const lasting = new Set<ErrorKind>(["usage", "auth", "not_found", "conflict", "invalid", "defect"]);

/** Returns whether a step that failed can succeed when it is repeated unchanged. */
export function mayBeRepeated({ result, error }: Outcome): boolean {
  return result !== "done" && error !== undefined && !lasting.has(error.kind);
}

/** Returns how to send sender IDs that may be missing from groups, which no comparison can show: docs/decisions/0016. */
export function resendHintFor(outcomes: readonly Outcome[]): string | undefined {
  return outcomes.some((each) => pendingAfter(each) !== undefined && mayBeRepeated(each))
    ? "apply again on this machine, or pass --resend-sender-id to apply on another one"
    : undefined;
}

/**
 * Returns the outcome that a command ends with: that of a signal, for whose exit code the user or supervisor waits, else
 * the first failure in the order of the steps, else the first value that was stored differently.
 */
export function decisiveOf(outcomes: readonly Outcome[]): Outcome | undefined {
  const withError = outcomes.filter(({ error }) => error !== undefined);
  return (
    withError.find(({ error }) => isStop(error?.kind)) ??
    withError.find(({ result }) => result !== "done") ??
    withError[0]
  );
}

/** Returns the error that a command ends with; undefined if all steps succeeded. */
export function errorOfOutcomes(outcomes: readonly Outcome[]): ReportedError | undefined {
  const error = decisiveOf(outcomes)?.error;
  if (error === undefined) return undefined;
  const { kind, httpStatus, trail, stored, lookup, hint = resendHintFor(outcomes) } = error;
  return { kind, httpStatus, hint, trail, details: { stored_differently: stored, lookup } };
}
