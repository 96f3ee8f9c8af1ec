import type { Capabilities } from "../../cli/capabilities.ts";
import { targetName } from "../../config/target-name.ts";
import type { Service } from "../../contract/service.ts";
import { exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import { SendctlError } from "../../contract/error.ts";
import { safeText } from "../../output/safe-text.ts";
import { execute, type Outcome } from "../../plan/execute.ts";
import type { Plan, Step } from "../../plan/plan.ts";
import { owedBy, settled, withOwed } from "../../plan/remember.ts";
import { withCreated } from "../../plan/unlisted.ts";
import {
  makePlan,
  maxDeletesOf,
  readDesiredState,
  type DesiredStateOptions,
} from "./desired-state.ts";
import {
  changingSteps,
  deletedTitle,
  notComparedLine,
  stepText,
  stepTitle,
  storedLines,
  storedRecord,
  summaryLine,
  summaryOf,
} from "./plan-text.ts";
import {
  checkHints,
  errorOfOutcomes,
  exitCodeOfOutcomes,
  isUnknown,
  mayLackSenderId,
  neededReplaceRecord,
  outcomeLine,
  outcomeRecord,
  resendHint,
  summaryOfOutcomes,
  summaryText,
} from "./plan-outcome.ts";
import { defineCommand, flag } from "../../cli/define-command.ts";
import { readMemory, remember } from "./memory.ts";
import { manifestFiles, planOptions } from "./plan-options.ts";
import { warnOfPlan } from "./plan-warnings.ts";
import { reportPlan } from "./report-plan.ts";
import { unconfirmed } from "../arguments.ts";

export const apply = defineCommand({
  path: "apply",
  description:
    "Apply a YAML or JSON manifest: show the plan, ask for confirmation, then create and update records. --dry-run only shows the plan. Nothing is deleted without --prune or --replace. After a failure, apply again to continue.",
  args: { manifests: manifestFiles },
  options: { ...planOptions, yes: flag("-y, --yes", "apply without confirmation") },
  exitCodes: [[12, "a sender ID must be replaced, which requires --replace"]],
  examples: ["sendctl apply sendctl.yaml --dry-run", "sendctl apply sendctl.yaml --prune --yes"],
  async run(context, { manifests }, { file, ...options }) {
    return applyManifest(context, { ...options, file: [...manifests, ...file] });
  },
});

interface ApplyOptions extends DesiredStateOptions {
  readonly yes?: boolean;
}

/** Applies a manifest after its plan is confirmed. */
async function applyManifest(context: Capabilities, options: ApplyOptions): Promise<ExitCode> {
  const maxDeletes = maxDeletesOf(options);
  const { dryRun } = context.config.settings;
  const isConfirmed = options.yes === true || dryRun;
  const manifest = await readDesiredState(context, options, !isConfirmed);
  if (typeof manifest === "number") return manifest;
  if (!isConfirmed && context.ask.prompter() === undefined) {
    throw unconfirmed("apply");
  }
  if (!isConfirmed && context.config.settings.quiet) {
    throw new SendctlError("usage", "--quiet hides the plan that needs confirmation", {
      hint: "pass --yes, or omit --quiet",
      setting: "--quiet",
    });
  }
  const { service } = context.target;
  await context.target.announce();
  const plan = await makePlan(
    context,
    service,
    manifest,
    {
      prune: options.prune === true,
      replace: options.replace === true,
      resendSenderId: options.resendSenderId === true,
    },
    await readMemory(context),
  );
  if (typeof plan === "number") return plan;
  if (dryRun) {
    await reportPlan(context, plan, maxDeletes);
    return exitCodes.done;
  }
  const deletes = plan.steps.filter(({ action }) => action === "delete").length;
  if (deletes > maxDeletes) {
    throw new SendctlError(
      "usage",
      `--prune would delete ${deletes} records, but --max-deletes is ${maxDeletes}; nothing was sent`,
      {
        hint: `check with sendctl diff --prune, then pass --max-deletes ${deletes}`,
        setting: "--max-deletes",
      },
    );
  }
  await showPlan(context, plan);
  const chosen = await confirmed(context, plan, options);
  if (chosen === undefined) return context.output.declined("Nothing applied");
  return carryOut(context, service, plan, chosen);
}

async function showPlan(context: Capabilities, plan: Plan): Promise<void> {
  for (const step of changingSteps(plan)) {
    await context.output.say((style) => stepText(step, style));
  }
  await context.output.say(summaryLine(plan));
  const remark = notComparedLine(plan);
  if (remark !== undefined) await context.output.say(remark);
  for (const line of storedLines(plan)) await context.output.warn(line);
  await warnOfPlan(context, plan);
}

/** Maximum number of records named in a question; the plan above it has all of them. */
const maxNamed = 5;

/** Returns the confirmed steps; undefined if there are none. Deletes have a question of their own. */
async function confirmed(
  context: Capabilities,
  plan: Plan,
  options: ApplyOptions,
): Promise<readonly Step[] | undefined> {
  const steps = changingSteps(plan).filter(
    ({ action }) => action !== "replace" || options.replace === true,
  );
  if (options.yes === true || steps.length === 0) return steps;
  const prompter = context.ask.prompter()!;
  const target = safeText(targetName(context.config.settings));
  const changes = steps.filter(({ action }) => action !== "delete");
  const deletes = steps.filter(({ action }) => action === "delete");
  const isConfirmed =
    changes.length === 0 ||
    (await prompter.confirm(
      changes.length === 1
        ? `Apply this change to ${target}?`
        : `Apply these ${changes.length} changes to ${target}?`,
    ));
  if (!isConfirmed) return undefined;
  if (deletes.length === 0) return changes;
  const named = deletes.slice(0, maxNamed).map(deletedTitle);
  const more = deletes.length - named.length;
  const what = `${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  if (await prompter.confirm(`Delete ${what} from ${target}?`)) return steps;
  await context.output.say("Nothing deleted");
  return changes.length === 0 ? undefined : changes;
}

async function carryOut(
  context: Capabilities,
  service: Service,
  plan: Plan,
  steps: readonly Step[],
): Promise<ExitCode> {
  const progress = context.output.progress();
  let count = 0;
  const report = async (outcome: Outcome): Promise<void> => {
    count += 1;
    const line = outcomeLine(outcome);
    const isDone = outcome.outcome === "done";
    if (!isDone) await context.output.complain(line);
    await context.output.event(outcomeRecord(outcome), isDone ? line : undefined);
    await progress.update(`${count} of ${steps.length}`);
  };
  const rest = (): Promise<void> => context.clock.sleep(0);
  const owed = owedBy(steps);
  // Remembered first, because the process can be killed between any two requests.
  if (owed.length > 0) await remember(context, (memory) => withOwed(memory, owed));
  const outcomes = await execute(steps, { service, sleep: context.clock.sleep, rest, report });
  // The embedded engine's lists include new records at once.
  const isRemote = context.config.settings.baseUrl !== undefined;
  const now = context.clock.now();
  await remember(context, (memory) => {
    const known = settled(memory, outcomes);
    return isRemote ? withCreated(known, outcomes, now) : known;
  });
  await progress.done();
  return conclude(context, plan, outcomes);
}

const replaceHint = "pass --replace";

async function conclude(
  context: Capabilities,
  plan: Plan,
  outcomes: readonly Outcome[],
): Promise<ExitCode> {
  const done = outcomes.filter(({ outcome }) => outcome === "done").length;
  const failed = outcomes.filter((one) => one.outcome === "failed");
  const unknown = failed.filter(isUnknown);
  const replaces = changingSteps(plan).filter(({ action }) => action === "replace");
  const isReplaced = outcomes.some(({ step }) => step.action === "replace");
  const left = isReplaced ? 0 : replaces.length;
  const names = replaces.map((step) => stepTitle(step)).join(", ");
  const notReplaced = left > 0 ? `Not changed: ${names} must be replaced` : undefined;
  const applied =
    outcomes.length === 0 ? "Nothing to apply" : `Applied ${done} of ${outcomes.length}`;
  const message = notReplaced === undefined ? applied : `${applied}. ${notReplaced}`;
  const hasFailed = done < outcomes.length;
  const summary = summaryOfOutcomes(outcomes, summaryOf(plan).keep);
  const isComplete = !hasFailed && left === 0;
  const error = errorOfOutcomes(outcomes) ?? { kind: "differences", hint: replaceHint };
  await context.output.report({
    message,
    // Computed only when printed: there may be a million steps.
    get data() {
      return {
        applied: done,
        failed: failed.length,
        outcome_unknown: unknown.length,
        not_tried: outcomes.length - done - failed.length,
        must_be_replaced: left,
        summary,
        ...storedRecord(plan),
        steps: [
          ...outcomes.map(outcomeRecord),
          ...(left > 0 ? replaces.map(neededReplaceRecord) : []),
        ],
      };
    },
    ...(isComplete ? {} : { error }),
  });
  const counts = done === 0 ? "" : ` · ${summaryText(summary)}`;
  const open = unknown.length === 0 ? "" : ` · ${unknown.length} of unknown outcome`;
  const next = unknown.length === 0 ? "apply again" : "check them, then apply again";
  const again = hasFailed ? `; ${next} to continue` : "";
  await context.output.say(`${applied}${counts}${open}${again}`);
  for (const hint of checkHints(outcomes)) await context.output.say(`hint: ${safeText(hint)}`);
  if (outcomes.some(mayLackSenderId)) await context.output.say(`hint: ${resendHint}`);
  if (notReplaced !== undefined) {
    await context.output.complain(`${notReplaced}\nhint: ${replaceHint}`);
  }
  return exitCodeOfOutcomes(outcomes) ?? (left > 0 ? exitCodes.differences : exitCodes.done);
}
