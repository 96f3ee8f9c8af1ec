import { isStop, SendctlError, type ErrorKind } from "../../core/error.ts";
import { safeText, visibleText } from "../../core/text.ts";
import { type Outcome, pendingAfter } from "../../manifest/plan/execute.ts";
import type { ReportedError } from "../../output/formats/format.ts";
import { accepted, textOf } from "../../output/views.ts";
import { kindOfReply, refusalText } from "../../service/refusals.ts";
import { doneTitle, stepRecord, stepTitle } from "./step-text.ts";

type Failed = Extract<Outcome, { outcome: "failed" }>;
type Cause = Failed["cause"];

/**
 * Returns the outcome of a step as a line of text.
 *
 * @param database the database of the embedded engine; undefined for a service
 */
export function outcomeLine(outcome: Outcome, database: string | undefined): string {
  const { step } = outcome;
  if (outcome.outcome !== "done") {
    const verb = outcome.outcome === "failed" ? "Could not" : "Did not";
    if (isIncomplete(outcome) && step.action === "create") {
      const { done: _, ...failed } = outcome;
      return `${doneTitle(step)}${newId(outcome)}, but incomplete: ${reasonOf(failed, database)}`;
    }
    const start = isUnknown(outcome) ? "Outcome unknown:" : verb;
    return `${start} ${step.action} ${stepTitle(step)}: ${reasonOf(outcome, database)}`;
  }
  return `${doneTitle(step)}${newId(outcome)}${isAccepted(outcome) ? `: ${accepted}` : ""}`;
}

/** Returns the line of an outcome that is a failure, or of one with values that were stored differently. */
export function failureLine(outcome: Outcome, database: string | undefined): string {
  const line = outcomeLine(outcome, database);
  const difference = outcome.outcome === "done" ? outcome.difference : undefined;
  return difference === undefined ? line : visibleText(`${line}, but ${difference.message}`);
}

/** Returns why a step failed, or the values that were stored differently. */
export function causeOf(outcome: Outcome): Cause | undefined {
  if (outcome.outcome === "not tried") return undefined;
  return outcome.outcome === "failed" ? outcome.cause : outcome.difference;
}

/** Returns the id of a group that a step has created, as a suffix. */
function newId({ step, ...ending }: Outcome): string {
  const id = "record" in ending ? ending.record?.["id"] : undefined;
  const isNew = step.kind === "group" && step.action === "create" && id !== undefined;
  return isNew ? ` (id ${textOf(id)})` : "";
}

/** Returns whether a change of a step was accepted and may not be done yet. */
export function isAccepted(outcome: Outcome): boolean {
  return outcome.outcome === "done" && outcome.isAccepted === true;
}

/** Returns whether a part of a step was carried out before it failed. */
export function isIncomplete(outcome: Outcome): outcome is Outcome & Failed {
  return outcome.outcome === "failed" && outcome.isIncomplete === true;
}

/** Returns the outcome of a step as data. @param database as for `outcomeLine` */
export function outcomeRecord(
  outcome: Outcome,
  database: string | undefined,
): Readonly<Record<string, unknown>> {
  const step = stepRecord(outcome.step);
  const { kind, id } = step;
  const created = outcome.outcome === "not tried" ? undefined : outcome.record?.["id"];
  const difference = outcome.outcome === "done" ? outcome.difference : undefined;
  return {
    ...step,
    id: kind === "group" ? (id ?? created ?? null) : undefined,
    outcome: isIncomplete(outcome) ? "incomplete" : outcome.outcome.replace(" ", "_"),
    accepted: isAccepted(outcome) ? true : undefined,
    outcome_unknown: isUnknown(outcome) ? true : undefined,
    message: outcome.outcome === "done" ? difference?.message : reasonOf(outcome, database),
    error: outcome.outcome === "failed" ? stepError(outcome.cause) : undefined,
    stored_differently: difference?.stored,
  };
}

/** Returns the error of a failed step as data. The step has its message. */
function stepError(cause: Cause): object {
  const { hint = null } = cause;
  const status = cause instanceof SendctlError ? (cause.httpStatus ?? null) : cause.status;
  const request_id = cause.trail?.requestId ?? null;
  return { kind: kindOf(cause), http_status: status, hint, request_id };
}

/** Returns the error of a failed step, unless the service refused the step. */
export function errorOf(outcome: Outcome): SendctlError | undefined {
  const cause = outcome.outcome === "failed" ? outcome.cause : undefined;
  return cause instanceof SendctlError ? cause : undefined;
}

/** Returns whether a step may have changed the record although it failed. */
export function isUnknown(outcome: Outcome): boolean {
  const error = errorOf(outcome);
  // Only a write that was sent has a check.
  return error?.kind === "outcome_unknown" || error?.check !== undefined;
}

/** Errors that come again when the same step is repeated. */
const lasting = new Set<ErrorKind>(["usage", "auth", "not_found", "conflict", "invalid", "defect"]);

/** Returns whether a step that failed can succeed when it is repeated unchanged. */
export function mayBeRepeated(outcome: Outcome): boolean {
  return outcome.outcome === "failed" && !lasting.has(kindOf(outcome.cause));
}

/** Returns whether a group may lack its sender ID, which responses never include: docs/decisions/0016. */
function mayLackSenderId(outcome: Outcome): boolean {
  return pendingAfter(outcome) !== undefined;
}

/** Returns how to send sender IDs that may be missing from groups, which no comparison can show. */
export function resendHintFor(outcomes: readonly Outcome[]): string | undefined {
  return outcomes.some((each) => mayLackSenderId(each) && mayBeRepeated(each))
    ? "apply again on this machine, or pass --resend-sender-id to apply on another one"
    : undefined;
}

/** Returns why a step was not carried out. */
function reasonOf(
  outcome: Exclude<Outcome, { outcome: "done" }>,
  database: string | undefined,
): string {
  const reasons =
    outcome.outcome === "not tried"
      ? [safeText(outcome.why)]
      : [whyOf(outcome.cause, database), safeText(outcome.done ?? "")];
  if (mayLackSenderId(outcome)) reasons.push("its sender ID may be missing");
  return reasons.filter(Boolean).join(" · ");
}

function whyOf(cause: Cause, database: string | undefined): string {
  if (!(cause instanceof SendctlError)) return refusalText(cause, database);
  // The message of a request that was interrupted before it was sent says nothing of the other steps.
  return isStop(cause.kind) && cause.check === undefined
    ? "interrupted"
    : visibleText(cause.message);
}

/**
 * Returns the outcome that a command ends with: that of a signal, for whose exit code the user or supervisor waits, else
 * the first failure in the order of the steps, else the first value that was stored differently.
 */
export function decisiveOf(outcomes: readonly Outcome[]): Outcome | undefined {
  const failed = outcomes.filter((each) => each.outcome === "failed");
  return (
    failed.find(({ cause }) => isStop(kindOf(cause))) ??
    failed[0] ??
    outcomes.find((each) => each.outcome === "done" && each.difference !== undefined)
  );
}

/** Returns the error that a command ends with; undefined if all steps succeeded. */
export function errorOfOutcomes(outcomes: readonly Outcome[]): ReportedError | undefined {
  const decisive = decisiveOf(outcomes);
  const cause = decisive && causeOf(decisive);
  if (cause === undefined) return undefined;
  const { trail, hint = resendHintFor(outcomes) } = cause;
  if (!(cause instanceof SendctlError)) {
    return { kind: kindOf(cause), httpStatus: cause.status, hint, trail };
  }
  const { kind, httpStatus, stored, lookup } = cause;
  return { kind, httpStatus, hint, trail, details: { stored_differently: stored, lookup } };
}

function kindOf(cause: Cause): ErrorKind {
  return cause instanceof SendctlError ? cause.kind : (kindOfReply(cause) ?? "invalid");
}
