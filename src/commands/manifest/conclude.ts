import type { Capabilities } from "../../command/capabilities.ts";
import { exitCodeOfKind, exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import { safeText } from "../../core/safe-text.ts";
import type { Outcome } from "../../manifest/plan/execute.ts";
import type { Plan, Step } from "../../manifest/plan/plan.ts";
import type { Duplicate, SecondLook } from "./look-again.ts";
import {
  blockedBy,
  changingSteps,
  stepTitle,
  stepView,
  storedRecord,
  summaryOf,
  summaryText,
} from "./plan-text.ts";
import {
  blockedRecord,
  checkHints,
  errorOfOutcomes,
  isUnknown,
  mayLackSenderId,
  missingOf,
  outcomeRecord,
  resendHint,
} from "./plan-outcome.ts";

const missingLines = [
  ["yes", "Deleted"],
  ["possibly", "Possibly deleted"],
] as const;

/** Reports what an apply has done, and returns its exit code. */
export async function conclude(
  { output }: Capabilities,
  plan: Plan,
  outcomes: readonly Outcome[],
  { duplicates, warning, stopped }: SecondLook,
): Promise<ExitCode> {
  const finished = outcomes.filter(({ outcome }) => outcome === "done");
  const done = finished.length;
  const failed = outcomes.filter(({ outcome }) => outcome === "failed").length;
  const unknown = outcomes.filter(isUnknown).length;
  const blocked = changingSteps(plan).filter((step) => blockedBy(step) !== undefined);
  const differences = differencesOf(blocked, duplicates);
  const [difference] = differences;
  const applied =
    outcomes.length === 0 ? "Nothing to apply" : `Applied ${done} of ${outcomes.length}`;
  const { unchanged } = summaryOf(plan.steps);
  const summary = { ...summaryOf(finished.map(({ step }) => step)), unchanged };
  const error =
    errorOfOutcomes(outcomes) ??
    stopped ??
    (difference === undefined
      ? undefined
      : { kind: "differences" as const, hint: difference.hint });
  await output.report({
    message: [applied, ...differences.map(({ line }) => line)].join(". "),
    // Computed only when printed: there may be a million steps.
    get data() {
      return {
        applied: done,
        failed,
        outcome_unknown: unknown,
        not_tried: outcomes.length - done - failed,
        must_be_replaced: blocked.filter(({ action }) => action === "replace").length,
        summary,
        ...storedRecord(plan),
        ...(duplicates.length === 0 ? {} : { duplicates }),
        steps: [...outcomes.map(outcomeRecord), ...blocked.map(blockedRecord)],
      };
    },
    // Formats of lines have printed each step already.
    text: "",
    records: { items: [], view: stepView },
    ...(error === undefined ? {} : { error }),
  });
  const counts = done === 0 ? "" : ` · ${summaryText(summary)}`;
  const open = unknown === 0 ? "" : ` · ${unknown} of unknown outcome`;
  const next = unknown === 0 ? "apply again" : "check them, then apply again";
  const again = done < outcomes.length ? `; ${next} to continue` : "";
  await output.say(`${applied}${counts}${open}${again}`);
  for (const [missing, line] of missingLines) {
    const steps = outcomes.filter((outcome) => missingOf(outcome) === missing);
    const titles = steps.map(({ step }) => stepTitle(step)).join(", ");
    if (titles !== "") await output.printError(`${line} and not created again: ${titles}`);
  }
  for (const hint of checkHints(outcomes)) await output.say(`hint: ${safeText(hint)}`);
  if (outcomes.some(mayLackSenderId)) await output.say(`hint: ${resendHint}`);
  for (const { line, hint } of differences) await output.printError(`${line}\nhint: ${hint}`);
  if (warning !== undefined) await output.warn(warning);
  return error === undefined ? exitCodes.done : exitCodeOfKind(error.kind);
}

/** Returns why the records are not those of the manifest although no step failed. */
function differencesOf(
  blocked: readonly Step[],
  duplicates: readonly Duplicate[],
): readonly { readonly line: string; readonly hint: string }[] {
  const replaced = blocked.filter(({ action }) => action === "replace").map(stepTitle);
  const unlisted = blocked
    .filter(({ action }) => action === "create")
    .map((step) => `${stepTitle(step)} ${blockedBy(step)}`);
  const doubled = duplicates.map(
    ({ name, ids }) => `${safeText(name)} (${ids.map((id) => `id ${id}`).join(", ")})`,
  );
  const all = [
    [replaced, "Not changed: % must be replaced", "pass --replace"],
    [unlisted, "Not created again: %", "apply again in a minute"],
    [
      doubled,
      "More often than in the manifest: %",
      "another apply ran at the same time; delete all but one of each",
    ],
  ] as const;
  return all
    .filter(([titles]) => titles.length > 0)
    .map(([titles, line, hint]) => ({ line: line.replace("%", () => titles.join(", ")), hint }));
}
