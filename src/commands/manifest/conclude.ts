import type { Capabilities } from "../../cli/capabilities.ts";
import { SendctlError } from "../../contract/error.ts";
import { exitCodeOfKind, exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import { safeText } from "../../output/safe-text.ts";
import type { Outcome } from "../../plan/execute.ts";
import type { Plan } from "../../plan/plan.ts";
import { failureText, type Duplicate, type SecondLook } from "./look-again.ts";
import { blockedBy, changingSteps, stepTitle, storedRecord, summaryOf } from "./plan-text.ts";
import {
  blockedRecord,
  checkHints,
  errorOfOutcomes,
  exitCodeOfOutcomes,
  isUnknown,
  mayLackSenderId,
  missingOf,
  outcomeRecord,
  resendHint,
  summaryOfOutcomes,
  summaryText,
} from "./plan-outcome.ts";

/** A reason why the records are not those of the manifest although no step failed. */
interface Difference {
  readonly line: string;
  readonly hint: string;
}

const missingLines = [
  ["yes", "Deleted"],
  ["possibly", "Possibly deleted"],
] as const;

/** Reports what an apply has done, and returns its exit code. */
export async function conclude(
  { output }: Capabilities,
  plan: Plan,
  outcomes: readonly Outcome[],
  { duplicates, unlisted, failure }: SecondLook,
): Promise<ExitCode> {
  const done = outcomes.filter(({ outcome }) => outcome === "done").length;
  const failed = outcomes.filter(({ outcome }) => outcome === "failed").length;
  const unknown = outcomes.filter(isUnknown).length;
  const blocked = changingSteps(plan).filter((step) => blockedBy(step) !== undefined);
  const differences = differencesOf(blocked, duplicates);
  const [difference] = differences;
  const applied =
    outcomes.length === 0 ? "Nothing to apply" : `Applied ${done} of ${outcomes.length}`;
  const summary = summaryOfOutcomes(outcomes, summaryOf(plan).keep);
  const stopped = failure instanceof SendctlError && isStop(failure) ? failure : undefined;
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
    if (titles !== "") await output.complain(`${line} and not created again: ${titles}`);
  }
  for (const hint of checkHints(outcomes)) await output.say(`hint: ${safeText(hint)}`);
  if (outcomes.some(mayLackSenderId)) await output.say(`hint: ${resendHint}`);
  for (const { line, hint } of differences) await output.complain(`${line}\nhint: ${hint}`);
  if (failure === undefined && done > 0 && unlisted.length > 0) {
    await output.warn(
      "the lists do not show all created records yet, so duplicates cannot be seen",
    );
  }
  if (failure !== undefined && stopped === undefined) {
    await output.warn(
      `the lists could not be read again to find duplicates: ${failureText(failure)}`,
    );
  }
  const ended = exitCodeOfOutcomes(outcomes) ?? (stopped && exitCodeOfKind(stopped.kind));
  return ended ?? (difference === undefined ? exitCodes.done : exitCodes.differences);
}

function isStop({ kind }: SendctlError): boolean {
  return kind === "cancelled" || kind === "terminated";
}

function differencesOf(
  blocked: Plan["steps"],
  duplicates: readonly Duplicate[],
): readonly Difference[] {
  const titles = (action: "replace" | "create"): string =>
    blocked
      .filter((step) => step.action === action)
      .map((step) =>
        action === "replace" ? stepTitle(step) : `${stepTitle(step)} ${blockedBy(step)}`,
      )
      .join(", ");
  const [replaced, unlisted] = [titles("replace"), titles("create")];
  const doubled = duplicates.map(
    ({ name, ids }) => `${safeText(name)} (${ids.map((id) => `id ${id}`).join(", ")})`,
  );
  return [
    ...(replaced === ""
      ? []
      : [{ line: `Not changed: ${replaced} must be replaced`, hint: "pass --replace" }]),
    ...(unlisted === ""
      ? []
      : [{ line: `Not created again: ${unlisted}`, hint: "apply again in a minute" }]),
    ...(doubled.length === 0
      ? []
      : [
          {
            line: `More often than in the manifest: ${doubled.join(", ")}`,
            hint: "another apply ran at the same time; delete all but one of each",
          },
        ]),
  ];
}
