import { isStop as isStopKind } from "../../core/error.ts";
import type { Capabilities } from "../../command/capabilities.ts";
import {
  checkLine,
  joinedChecks,
  SendctlError,
  type Check,
  type ErrorKind,
} from "../../core/error.ts";
import { firstOf, safeText, shellWord, visibleText } from "../../core/text.ts";
import { targetOptions } from "../../config/target.ts";
import { planMarkdown, type PlanData } from "./plan-markdown.ts";
import { notComparedText, warningsOf } from "./show-plan.ts";
import { type Outcome, pendingAfter } from "../../manifest/plan/execute.ts";
import type { CreatedRecord } from "../../manifest/plan/memory.ts";
import type { Plan, Step } from "../../manifest/plan/plan.ts";
import { exitCodeOfKind, exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import type { ReportedError } from "../../output/output.ts";
import { textOf } from "../../output/views.ts";
import { kindOfReply, refusalText } from "../../service/refusals.ts";
import {
  blockedBy,
  changingSteps,
  doneTitle,
  stepRecord,
  stepTitle,
  stepView,
  summaryOf,
  summaryText,
} from "./step-text.ts";

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
    if (outcome.outcome === "failed" && outcome.record !== undefined && step.action === "create") {
      const created = `${doneTitle(step)} (id ${textOf(outcome.record["id"])}), but incomplete`;
      const { done: _, ...failed } = outcome;
      return `${created}: ${reasonOf(failed, database)}`;
    }
    const start = isUnknown(outcome) ? "Outcome unknown:" : verb;
    return `${start} ${step.action} ${stepTitle(step)}: ${reasonOf(outcome, database)}`;
  }
  const id = outcome.record?.["id"];
  const isNew = step.kind === "group" && step.action === "create" && id !== undefined;
  return `${doneTitle(step)}${isNew ? ` (id ${textOf(id)})` : ""}`;
}

/** Returns the outcome of a step as data. @param database as for `outcomeLine` */
export function outcomeRecord(
  outcome: Outcome,
  database: string | undefined,
): Readonly<Record<string, unknown>> {
  const step = stepRecord(outcome.step);
  const { kind, id } = step;
  const created = outcome.outcome === "done" ? outcome.record?.["id"] : undefined;
  return {
    ...step,
    id: kind === "group" ? (id ?? created ?? null) : undefined,
    outcome: outcome.outcome.replace(" ", "_"),
    outcome_unknown: isUnknown(outcome) ? true : undefined,
    message: outcome.outcome === "done" ? outcome.difference?.message : reasonOf(outcome, database),
    stored_differently: outcome.outcome === "done" ? outcome.difference?.stored : undefined,
  };
}

/** Returns the error of a failed step, unless the service refused the step. */
function errorOf(outcome: Outcome): SendctlError | undefined {
  if (outcome.outcome !== "failed") return undefined;
  return outcome.cause instanceof SendctlError ? outcome.cause : undefined;
}

/** Returns whether a step may have changed the record although it failed. */
function isUnknown(outcome: Outcome): boolean {
  const error = errorOf(outcome);
  // Only a write that was sent has a check.
  return error?.kind === "outcome_unknown" || error?.check !== undefined;
}

/** Returns whether a group may lack its sender ID, which responses never include: docs/decisions/0016. */
function mayLackSenderId(outcome: Outcome): boolean {
  return pendingAfter(outcome) !== undefined;
}

/** How to send a sender ID that may be missing from a group, which no comparison can show. */
const resendHint =
  "apply again on this machine, or pass --resend-sender-id to apply on another one";

/** Returns why a step was not carried out. */
function reasonOf(
  outcome: Exclude<Outcome, { outcome: "done" }>,
  database: string | undefined,
): string {
  const reasons =
    outcome.outcome === "not tried"
      ? [safeText(outcome.why)]
      : [
          whyOf(outcome.cause, database),
          ...(outcome.done === undefined ? [] : [safeText(outcome.done)]),
        ];
  if (mayLackSenderId(outcome)) reasons.push("its sender ID may be missing");
  return reasons.join(" · ");
}

function whyOf(cause: Cause, database: string | undefined): string {
  if (!(cause instanceof SendctlError)) return refusalText(cause, database);
  // The message of a request that was interrupted before it was sent says nothing of the other steps.
  return isStop(cause) && cause.check === undefined ? "interrupted" : visibleText(cause.message);
}

/** Returns the error of a report for a signal or for the first failed step; undefined if all succeeded. */
export function errorOfOutcomes(outcomes: readonly Outcome[]): ReportedError | undefined {
  const causes = causesOf(outcomes);
  // A signal comes first, because the user or supervisor waits for its exit code.
  const cause = causes.find(isStop) ?? causes[0] ?? storedDifferently(outcomes)[0];
  if (cause === undefined) return undefined;
  const hint = cause.hint ?? (outcomes.some(mayLackSenderId) ? resendHint : undefined);
  if (!(cause instanceof SendctlError)) {
    return { kind: kindOf(cause), httpStatus: cause.status, hint };
  }
  const { kind, httpStatus, stored, lookup } = cause;
  return { kind, httpStatus, hint, details: { stored_differently: stored, lookup } };
}

function causesOf(outcomes: readonly Outcome[]): Cause[] {
  return outcomes.flatMap((outcome) => (outcome.outcome === "failed" ? outcome.cause : []));
}

/** Returns the errors for values that the service stored differently. */
function storedDifferently(outcomes: readonly Outcome[]): SendctlError[] {
  return outcomes.flatMap((outcome) =>
    outcome.outcome === "done" ? (outcome.difference ?? []) : [],
  );
}

/** Returns whether a signal ended the steps. */
export function isInterrupted(outcomes: readonly Outcome[]): boolean {
  return causesOf(outcomes).some(isStop);
}

/** Returns whether a signal is the cause. */
export function isStop(cause: Cause): boolean {
  return isStopKind(kindOf(cause));
}

function kindOf(cause: Cause): ErrorKind {
  return cause instanceof SendctlError ? cause.kind : (kindOfReply(cause) ?? "invalid");
}

/** What the lists showed after the last create. */
export interface SecondLook {
  readonly duplicates: readonly Duplicate[];
  /** Created records that no list shows yet. */
  readonly unlisted: readonly CreatedRecord[];
  /** Why duplicates may not have been found. */
  readonly warning?: string;
  /** The signal that ended the reading. */
  readonly stopped?: SendctlError;
}

/** A name of several records, of which the manifest has fewer. */
export interface Duplicate {
  readonly kind: CreatedRecord["kind"];
  readonly name: string;
  readonly ids: readonly string[];
}

/** How messages name an apply and an undo. */
const verbs = {
  apply: { done: "Applied", nothing: "Nothing to apply" },
  undo: { done: "Undid", nothing: "Nothing to undo" },
} as const;

/** Reports what an apply or an undo has done, and returns its exit code. */
export async function conclude(
  { output, config }: Capabilities,
  plan: Plan,
  outcomes: readonly Outcome[],
  { duplicates, warning, stopped }: SecondLook,
  verb: keyof typeof verbs,
): Promise<ExitCode> {
  const finished = outcomes.filter(({ outcome }) => outcome === "done");
  const done = finished.length;
  const failed = causesOf(outcomes).length;
  const unknown = outcomes.filter(isUnknown).length;
  const blocked = changingSteps(plan).filter((step) => blockedBy(step) !== undefined);
  const options = targetOptions(config.settings, false).map(shellWord);
  const differences = differencesOf(blocked, duplicates, options);
  const [difference] = differences;
  const applied =
    outcomes.length === 0
      ? verbs[verb].nothing
      : `${verbs[verb].done} ${done} of ${outcomes.length}`;
  const { unchanged } = summaryOf(plan.steps);
  const summary = { ...summaryOf(finished.map(({ step }) => step)), unchanged };
  const error: ReportedError | undefined =
    errorOfOutcomes(outcomes) ??
    stopped ??
    (difference && { kind: "differences", hint: difference.hint });
  const lines = differences.map(({ line }) => line);
  const warnings = [...lines, ...warningsOf(plan), ...(warning === undefined ? [] : [warning])];
  const counts = done === 0 ? "" : ` · ${summaryText(summary, "done")}`;
  const title = `${applied}${counts}`;
  await output.report({
    message: [`${applied}${notComparedText(plan)}`, ...lines].join(". "),
    data: {
      applied: done,
      failed,
      outcome_unknown: unknown,
      not_tried: outcomes.length - done - failed,
      must_be_replaced: blocked.filter(({ action }) => action === "replace").length,
      summary,
      not_compared: plan.notCompared,
      warnings: warnings.length === 0 ? undefined : warnings,
      duplicates: duplicates.length === 0 ? undefined : duplicates,
      steps: [
        ...outcomes.map((each) => outcomeRecord(each, output.database)),
        ...blocked.map((step) => {
          return { ...stepRecord(step), outcome: "not_tried", message: blockedBy(step) };
        }),
      ],
    },
    // Formats of lines have printed each step already.
    text: "",
    records: { items: [], view: stepView },
    markdown: (data) => planMarkdown(`${title}${notComparedText(plan)}`, data as PlanData),
    ...(error && { error }),
  });
  const open = unknown === 0 ? "" : ` · ${unknown} of unknown outcome`;
  const next = unknown === 0 ? `${verb} again` : `check them, then ${verb} again`;
  const again = done < outcomes.length ? `; ${next} to continue` : "";
  await output.say(`${title}${open}${again}`);
  const checks = outcomes.flatMap((outcome) =>
    isUnknown(outcome) ? (errorOf(outcome)?.check ?? []) : [],
  );
  for (const check of joinedChecks(checks)) await output.say(`hint: ${safeText(checkLine(check))}`);
  if (outcomes.some(mayLackSenderId)) await output.say(`hint: ${resendHint}`);
  for (const { line, hint } of differences) await output.printError(`${line}\nhint: ${hint}`);
  if (warning !== undefined) await output.warn(warning);
  return error === undefined ? exitCodes.done : exitCodeOfKind(error.kind);
}

/** Maximum number of records that one line names. */
const maxNamed = 20;

/** Returns why the records are not those of the manifest although no step failed. */
function differencesOf(
  blocked: readonly Step[],
  duplicates: readonly Duplicate[],
  options: readonly string[],
): readonly { readonly line: string; readonly hint: string }[] {
  const replaced = blocked.filter(({ action }) => action === "replace").map(stepTitle);
  const unlisted = blocked
    .filter(({ action }) => action === "create")
    .map((step) => `${stepTitle(step)} ${blockedBy(step)}`);
  const doubled = duplicates.map(
    ({ name, ids }) => `${safeText(name)} (${ids.map((id) => `id ${id}`).join(", ")})`,
  );
  const first = duplicates.slice(0, maxNamed);
  const checks = joinedChecks(first.map((duplicate) => checkOf(duplicate, options)));
  const found = (titles: readonly string[], line: (names: string) => string, hint: string) =>
    titles.length === 0 ? [] : [{ line: line(firstOf(titles, maxNamed)), hint }];
  return [
    ...found(replaced, (names) => `Not changed: ${names} must be replaced`, "pass --replace"),
    ...found(unlisted, (names) => `Not created again: ${names}`, "apply again in a minute"),
    ...found(
      doubled,
      (names) => `More copies than in the manifest: ${names}`,
      `another apply ran at the same time; compare them, then delete all but the first of each: ${checks.map(checkLine).join("; ")}`,
    ),
  ];
}

/** Returns the command that shows the records of a name. */
function checkOf({ kind, name, ids }: Duplicate, options: readonly string[]): Check {
  return kind === "group"
    ? { command: "sendctl group fetch", keys: ids.map(shellWord), options }
    : { command: `sendctl sender-id list --name ${shellWord(name)}`, keys: [], options };
}
