import { exitCodeOfKind, kindOfReply, type ExitCode } from "../../output/exit-codes.ts";
import { SendctlError, type ErrorKind } from "../../contract/error.ts";
import { safeText } from "../../output/safe-text.ts";
import type { Outcome } from "../../plan/execute.ts";
import type { ReportedError } from "../../output/formats/format.ts";
import { leftOf } from "../../plan/remember.ts";
import { stepRecord, stepTitle } from "./plan-text.ts";
import { refusalText } from "../../output/refusal.ts";
import { textOf } from "../../output/views.ts";

const verbs = { create: "Created", update: "Updated", replace: "Replaced", delete: "Deleted" };

/** What became of a step, as people read it. */
export function outcomeLine(outcome: Outcome): string {
  const { step } = outcome;
  const title = stepTitle(step);
  if (outcome.outcome !== "done") {
    return `Could not ${step.action} ${title}: ${reasonOf(outcome)}`;
  }
  const id = outcome.record?.["id"];
  const isNew = step.kind === "group" && step.action === "create" && id !== undefined;
  return `${verbs[step.action as keyof typeof verbs]} ${title}${isNew ? ` (${textOf(id)})` : ""}`;
}

/** How a sender ID is sent that no comparison shows to be missing. */
export const resendHint =
  "sendctl apply --resend-sender-id, unless you apply again on this machine, which remembers it";

/** Returns whether a group may lack its sender ID, which responses do not show: docs/decisions/0016. */
export function mayLackSenderId(outcome: Outcome): boolean {
  return leftOf(outcome) !== undefined;
}

function reasonOf(outcome: Exclude<Outcome, { outcome: "done" }>): string {
  const reason = causeOf(outcome);
  return mayLackSenderId(outcome) ? `${reason} · its sender ID may be missing` : reason;
}

function causeOf(outcome: Exclude<Outcome, { outcome: "done" }>): string {
  if (outcome.outcome === "not tried") return `not tried: ${safeText(outcome.why)}`;
  const { cause, half } = outcome;
  const said = cause instanceof SendctlError ? safeText(cause.message) : refusalText(cause);
  return half === undefined ? said : `${said} · ${safeText(half)}`;
}

/** The same as data. */
export function outcomeRecord(outcome: Outcome): Readonly<Record<string, unknown>> {
  const { action, kind, name, id } = stepRecord(outcome.step);
  const given = outcome.outcome === "done" ? outcome.record?.["id"] : undefined;
  return {
    action,
    kind,
    name,
    ...(kind === "group" ? { id: id ?? given ?? null } : {}),
    outcome: outcome.outcome.replace(" ", "_"),
    ...(outcome.outcome === "done" ? {} : { message: reasonOf(outcome) }),
    ...storedOf(outcome),
  };
}

/** Returns the values that the service stored differently, if any. */
function storedOf(outcome: Outcome): object {
  if (outcome.outcome !== "failed" || !(outcome.cause instanceof SendctlError)) return {};
  const { stored } = outcome.cause;
  return stored === undefined ? {} : { stored_differently: stored };
}

/** Record counts of an apply. */
export interface AppliedSummary {
  readonly created: number;
  readonly updated: number;
  readonly replaced: number;
  readonly deleted: number;
  readonly unchanged: number;
}

/** Returns how many records were created, updated, replaced and deleted. @param unchanged records of the plan */
export function summaryOfOutcomes(outcomes: readonly Outcome[], unchanged: number): AppliedSummary {
  const counts = { create: 0, update: 0, replace: 0, delete: 0, keep: 0 };
  for (const { outcome, step } of outcomes) if (outcome === "done") counts[step.action] += 1;
  return {
    created: counts.create,
    updated: counts.update,
    replaced: counts.replace,
    deleted: counts.delete,
    unchanged,
  };
}

/** Returns a summary as `2 created, 5 unchanged`. */
export function summaryText(summary: AppliedSummary): string {
  return Object.entries(summary)
    .flatMap(([what, count]) => (count === 0 ? [] : `${count} ${what}`))
    .join(", ");
}

/** Returns the exit code of the first step that failed, or of a signal; undefined where none did. */
export function exitCodeOfOutcomes(outcomes: readonly Outcome[]): ExitCode | undefined {
  const cause = causeOfOutcomes(outcomes);
  return cause === undefined ? undefined : exitCodeOfKind(kindOf(cause));
}

/** Returns the same as the error of a report. */
export function errorOfOutcomes(outcomes: readonly Outcome[]): ReportedError | undefined {
  const cause = causeOfOutcomes(outcomes);
  if (cause === undefined) return undefined;
  const forgotten = outcomes.some(mayLackSenderId) ? resendHint : undefined;
  if (!(cause instanceof SendctlError)) {
    return { kind: kindOf(cause), httpStatus: cause.status, hint: forgotten };
  }
  const { kind, httpStatus, hint, stored } = cause;
  return {
    kind,
    httpStatus,
    hint: hint ?? forgotten,
    ...(stored === undefined ? {} : { details: { stored_differently: stored } }),
  };
}

type Cause = Extract<Outcome, { outcome: "failed" }>["cause"];

/** Whoever ended it knows that something failed, and waits for the end. */
function causeOfOutcomes(outcomes: readonly Outcome[]): Cause | undefined {
  const failed = outcomes.filter((one) => one.outcome === "failed");
  return (failed.find(({ cause }) => isStop(cause)) ?? failed[0])?.cause;
}

function isStop(cause: Cause): boolean {
  return ["cancelled", "terminated"].includes(kindOf(cause));
}

function kindOf(cause: Cause): ErrorKind {
  return cause instanceof SendctlError ? cause.kind : (kindOfReply(cause) ?? "invalid");
}
