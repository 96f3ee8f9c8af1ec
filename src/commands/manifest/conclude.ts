import type { Capabilities } from "../../command/context.ts";
import { targetName } from "../../config/target.ts";
import { checkLine, joinedChecks } from "../../core/error.ts";
import { counted, firstOf, safeText } from "../../core/text.ts";
import type { Outcome } from "../../manifest/plan/execute.ts";
import type { Plan, Step } from "../../manifest/plan/plan.ts";
import { exitCodeOfKind, exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import type { ReportedError } from "../../output/formats/format.ts";
import {
  decisiveOf,
  errorOf,
  errorOfOutcomes,
  failureLine,
  isAccepted,
  isIncomplete,
  isUnknown,
  mayBeRepeated,
  outcomeRecord,
  resendHintFor,
} from "./outcome.ts";
import { planMarkdown, type PlanData, notComparedText, warningsOf } from "./show-plan.ts";
import {
  blockedBy,
  changingSteps,
  doneText,
  planCounts,
  stepRecord,
  stepTitle,
  stepView,
  summaryOf,
  summaryText,
} from "./step-text.ts";

/** Reports what an apply or an undo has done, and returns its exit code. */
export async function conclude(
  { output, config }: Capabilities,
  plan: Plan,
  outcomes: readonly Outcome[],
  verb: "apply" | "undo",
): Promise<ExitCode> {
  const blocked = changingSteps(plan).filter((step) => blockedBy(step) !== undefined);
  const differences = differencesOf(blocked);
  const [difference] = differences;
  const error: ReportedError | undefined =
    errorOfOutcomes(outcomes) ?? (difference && { kind: "differences", hint: difference.hint });
  const lines = differences.map(({ line }) => line);
  const warnings = [...lines, ...warningsOf(plan)];
  const { applied, title, counts } = countsOf(plan, outcomes, verb);
  const notCompared = notComparedText(plan);
  const outcomeOf = new Map(outcomes.map((outcome) => [outcome.step, outcome]));
  const decisive = decisiveOf(outcomes);
  const failure = decisive === undefined ? [] : [failureLine(decisive, output.database)];
  await output.report({
    message: [`${applied}${notCompared}`, ...failure, ...lines].join(". "),
    data: {
      ...counts,
      warnings: warnings.length === 0 ? undefined : warnings,
      steps: changingSteps(plan).map((step) => {
        const outcome = outcomeOf.get(step);
        return outcome === undefined
          ? { ...stepRecord(step), outcome: "not_tried", message: blockedBy(step) }
          : outcomeRecord(outcome, output.database);
      }),
    },
    // Formats of lines have printed each step already.
    text: "",
    records: { items: [], view: stepView },
    markdown: (data) =>
      planMarkdown(`${title}${notCompared}`, data as PlanData, targetName(config.settings)),
    ...(error && { error }),
  });
  await output.say(`${title}${nextText(outcomes, verb)}`);
  const checks = outcomes.flatMap((outcome) =>
    isUnknown(outcome) ? (errorOf(outcome)?.check ?? []) : [],
  );
  const isHinted = decisive !== undefined && errorOf(decisive)?.check === undefined;
  const hints = [isHinted ? error?.hint : undefined, resendHintFor(outcomes)];
  for (const check of joinedChecks(checks)) await output.say(`hint: ${safeText(checkLine(check))}`);
  for (const hint of new Set(hints)) if (hint) await output.say(`hint: ${safeText(hint)}`);
  for (const { line, hint } of differences) await output.printError(`${line}\nhint: ${hint}`);
  return error === undefined ? exitCodes.done : exitCodeOfKind(error.kind);
}

/** Counts the outcomes of steps, as text and as data. A record that was created incompletely is created. */
function countsOf(plan: Plan, outcomes: readonly Outcome[], verb: "apply" | "undo") {
  const total = changingSteps(plan).length;
  const finished = outcomes.filter(({ outcome }) => outcome === "done");
  const incomplete = outcomes.filter(isIncomplete);
  const created = incomplete.map(({ step }) => step).filter(({ action }) => action === "create");
  const accepted = outcomes.filter(isAccepted).length;
  const failed = outcomes.filter(({ outcome }) => outcome === "failed").length - incomplete.length;
  const carriedOut = [...finished.map(({ step }) => step), ...created];
  const summary = { ...summaryOf(carriedOut), unchanged: summaryOf(plan.steps).unchanged };
  const isOpen = accepted === 0 ? "" : `; ${accepted} accepted, not done yet`;
  const applied = total === 0 ? `Nothing to ${verb}` : `Applied ${finished.length} of ${total}`;
  const isEmpty = carriedOut.length === 0;
  const title = isEmpty
    ? applied
    : `${applied} · ${summaryText(summary, "done", created.length)}${isOpen}`;
  const all = finished.length === total ? "" : ` (${finished.length} of ${total} steps)`;
  const undone = `Undone: ${isEmpty ? "nothing" : doneText(carriedOut, created)}${all}${isOpen}`;
  const isUndo = verb === "undo" && total > 0;
  return {
    applied: isUndo ? undone : applied,
    title: isUndo ? undone : title,
    counts: {
      applied: finished.length,
      failed,
      incomplete: incomplete.length,
      outcome_unknown: outcomes.filter(isUnknown).length,
      not_tried: total - finished.length - failed - incomplete.length,
      ...planCounts(plan, summary),
    },
  };
}

/** Returns what to do about steps that are not done, if repeating the command can help. */
function nextText(outcomes: readonly Outcome[], verb: "apply" | "undo"): string {
  const unknown = outcomes.filter(isUnknown).length;
  if (unknown > 0) {
    const them = unknown === 1 ? "it" : "them";
    const steps = `${counted(unknown, "step")} may or may not have been applied`;
    return `; ${steps}; check ${them}, then run ${verb} again`;
  }
  return outcomes.some(mayBeRepeated) ? `; run ${verb} again to continue` : "";
}

/** Maximum number of records that one line names. */
const maxNamed = 20;

/** Returns why the records are not those of the manifest although no step failed. */
function differencesOf(
  blocked: readonly Step[],
): readonly { readonly line: string; readonly hint: string }[] {
  const replaced = blocked.filter(({ action }) => action === "replace").map(stepTitle);
  const unlisted = blocked
    .filter(({ action }) => action === "create")
    .map((step) => `${stepTitle(step)} ${blockedBy(step)}`);
  const [first, second] = [replaced, unlisted].map((titles) => firstOf(titles, maxNamed));
  return [
    { line: `Not changed: ${first} must be replaced`, hint: "pass --replace", titles: replaced },
    { line: `Not created again: ${second}`, hint: "apply again in a minute", titles: unlisted },
  ].filter(({ titles }) => titles.length > 0);
}
