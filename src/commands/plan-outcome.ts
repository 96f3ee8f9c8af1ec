import { exitCodeOfFailure, exitCodeOfReply, type ExitCode } from "../exit-codes.ts";
import { Failure } from "../failure.ts";
import { safeText } from "../io/safe-text.ts";
import type { Outcome } from "../plan/execute.ts";
import { stepRecord, stepTitle } from "./plan-text.ts";
import { refusalLine } from "./refusal.ts";
import { textOf } from "./views.ts";

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

function reasonOf(outcome: Exclude<Outcome, { outcome: "done" }>): string {
  if (outcome.outcome === "not tried") return `not tried: ${safeText(outcome.why)}`;
  const { cause, half } = outcome;
  const said = cause instanceof Failure ? safeText(cause.message) : refusalLine(cause);
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
  };
}

/** That of the first step that failed; undefined where none did. */
export function exitCodeOfOutcomes(outcomes: readonly Outcome[]): ExitCode | undefined {
  const failed = outcomes.find((one) => one.outcome === "failed");
  if (failed === undefined) return undefined;
  const { cause } = failed;
  return cause instanceof Failure ? exitCodeOfFailure(cause.kind) : exitCodeOfReply(cause);
}
