import { checkLine, joinedChecks, SendctlError, type ErrorKind } from "../../core/error.ts";
import { safeText } from "../../core/safe-text.ts";
import type { Outcome } from "../../manifest/plan/execute.ts";
import type { ReportedError } from "../../output/formats/format.ts";
import type { Step } from "../../manifest/plan/plan.ts";
import { pendingAfter } from "../../manifest/plan/remember.ts";
import { blockedBy, stepRecord, stepTitle } from "./plan-text.ts";
import { kindOfReply, refusalText } from "../../service/refusals.ts";
import { textOf } from "../../output/views.ts";

const verbs = { create: "Created", update: "Updated", replace: "Replaced", delete: "Deleted" };

/** Returns the outcome of a step as a line of text. */
export function outcomeLine(outcome: Outcome): string {
  const { step } = outcome;
  const title = stepTitle(step);
  if (isUnknown(outcome)) {
    return `Outcome unknown: ${step.action} ${title}: ${reasonOf(outcome)}`;
  }
  if (outcome.outcome !== "done") {
    const verb = outcome.outcome === "failed" ? "Could not" : "Did not";
    return `${verb} ${step.action} ${title}: ${reasonOf(outcome)}`;
  }
  const id = outcome.record?.["id"];
  const isNew = step.kind === "group" && step.action === "create" && id !== undefined;
  return `${verbs[step.action as keyof typeof verbs]} ${title}${isNew ? ` (id ${textOf(id)})` : ""}`;
}

/** How to send a sender ID that may be missing from a group, which no comparison can show. */
export const resendHint =
  "apply again on this machine, or pass --resend-sender-id to apply on another one";

/** Returns whether a group may lack its sender ID, which responses never include: docs/decisions/0016. */
export function mayLackSenderId(outcome: Outcome): boolean {
  return pendingAfter(outcome) !== undefined;
}

type Unknown = Extract<Outcome, { outcome: "failed" }> & { readonly cause: SendctlError };

/** Returns whether a step may have changed the record although it failed. */
export function isUnknown(outcome: Outcome): outcome is Unknown {
  if (outcome.outcome !== "failed" || !(outcome.cause instanceof SendctlError)) return false;
  return outcome.cause.kind === "outcome_unknown";
}

/** Returns the commands that show what the steps of unknown outcome did. */
export function checkHints(outcomes: readonly Outcome[]): readonly string[] {
  const checks = outcomes.filter(isUnknown).flatMap(({ cause: { check } }) => check ?? []);
  return joinedChecks(checks).map(checkLine);
}

function reasonOf(outcome: Exclude<Outcome, { outcome: "done" }>): string {
  const reason = causeOf(outcome);
  return mayLackSenderId(outcome) ? `${reason} · its sender ID may be missing` : reason;
}

function causeOf(outcome: Exclude<Outcome, { outcome: "done" }>): string {
  if (outcome.outcome === "not tried") return safeText(outcome.why);
  const { cause, done } = outcome;
  const message = cause instanceof SendctlError ? errorText(cause) : refusalText(cause);
  return done === undefined ? message : `${message} · ${safeText(done)}`;
}

/** Returns the message of an error. That of an interrupted request says nothing of the other steps. */
function errorText(error: SendctlError): string {
  const isUnsent = isStop(error) && error.check === undefined;
  return isUnsent ? "interrupted" : safeText(error.message);
}

/** Returns the outcome of a step as data. */
export function outcomeRecord(outcome: Outcome): Readonly<Record<string, unknown>> {
  const { action, kind, name, id } = stepRecord(outcome.step);
  const given = outcome.outcome === "done" ? outcome.record?.["id"] : undefined;
  return {
    action,
    kind,
    name,
    ...(kind === "group" ? { id: id ?? given ?? null } : {}),
    outcome: outcome.outcome.replace(" ", "_"),
    ...(isUnknown(outcome) ? { outcome_unknown: true } : {}),
    ...(missingOf(outcome) === undefined ? {} : { missing: missingOf(outcome) }),
    ...(outcome.outcome === "done" ? {} : { message: reasonOf(outcome) }),
    ...storedOf(outcome),
  };
}

/** Returns whether a record was deleted to be replaced, and does not exist again. */
export function missingOf(outcome: Outcome): "yes" | "possibly" | undefined {
  return outcome.outcome === "failed" ? outcome.missing : undefined;
}

/** Returns a step of the plan that apply does not carry out as data. */
export function blockedRecord(step: Step): Readonly<Record<string, unknown>> {
  const { action, kind, name } = stepRecord(step);
  return { action, kind, name, outcome: "not_tried", message: blockedBy(step) };
}

/** Returns the values that the service stored differently, if any. */
function storedOf(outcome: Outcome): object {
  if (outcome.outcome !== "failed" || !(outcome.cause instanceof SendctlError)) return {};
  const { stored } = outcome.cause;
  return stored === undefined ? {} : { stored_differently: stored };
}

/** Returns the error of a report for a signal or for the first failed step; undefined if all succeeded. */
export function errorOfOutcomes(outcomes: readonly Outcome[]): ReportedError | undefined {
  const cause = causeOfOutcomes(outcomes);
  if (cause === undefined) return undefined;
  const resend = outcomes.some(mayLackSenderId) ? resendHint : undefined;
  if (!(cause instanceof SendctlError)) {
    return { kind: kindOf(cause), httpStatus: cause.status, hint: cause.hint ?? resend };
  }
  const { kind, httpStatus, hint, stored, lookup } = cause;
  const details = {
    ...(stored === undefined ? {} : { stored_differently: stored }),
    ...(lookup === undefined ? {} : { lookup }),
  };
  return { kind, httpStatus, hint: hint ?? resend, details };
}

type Cause = Extract<Outcome, { outcome: "failed" }>["cause"];

/** Returns whether a signal ended the steps. */
export function isInterrupted(outcomes: readonly Outcome[]): boolean {
  return outcomes.some((outcome) => outcome.outcome === "failed" && isStop(outcome.cause));
}

/** Returns the cause of the exit code. A signal comes first, because the user or supervisor waits for its code. */
function causeOfOutcomes(outcomes: readonly Outcome[]): Cause | undefined {
  const failed = outcomes.filter((one) => one.outcome === "failed");
  return (failed.find(({ cause }) => isStop(cause)) ?? failed[0])?.cause;
}

/** Returns whether a signal is the cause. */
export function isStop(cause: Cause): boolean {
  return ["cancelled", "terminated"].includes(kindOf(cause));
}

function kindOf(cause: Cause): ErrorKind {
  return cause instanceof SendctlError ? cause.kind : (kindOfReply(cause) ?? "invalid");
}
