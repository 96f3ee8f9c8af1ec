import type { Capabilities } from "../../command/capabilities.ts";
import { targetName } from "../../config/target.ts";
import { exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import { SendctlError } from "../../core/error.ts";
import type { Manifest } from "../../manifest/manifest.ts";
import { safeText } from "../../core/safe-text.ts";
import { execute, type Outcome } from "../../manifest/plan/execute.ts";
import type { Memory } from "../../manifest/plan/memory.ts";
import type { Plan, Step } from "../../manifest/plan/plan.ts";
import { settled, withPending } from "../../manifest/plan/remember.ts";
import { conclude } from "./conclude.ts";
import {
  makePlan,
  manifestFiles,
  planOptions,
  readDesiredState,
  type PlanOptions,
} from "./desired-state.ts";
import { lookAgain } from "./look-again.ts";
import { areSame, blockedBy, changingSteps, deletedTitle } from "./plan-text.ts";
import { outcomeLine, outcomeRecord } from "./plan-outcome.ts";
import { defineCommand, flag } from "../../command/define-command.ts";
import { readMemory, underLock, type Remember } from "./memory.ts";
import { reportPlan, showPlan } from "./show-plan.ts";
import { unconfirmed, wholeNumber } from "../../command/arguments.ts";

export const apply = defineCommand({
  path: "apply",
  description:
    "Apply a YAML or JSON manifest: show the plan, ask for confirmation, then create and update records. --dry-run only shows the plan. Nothing is deleted without --prune or --replace. After a failure, apply again to continue.",
  args: { manifests: manifestFiles },
  options: { ...planOptions, yes: flag("-y, --yes", "apply without confirmation") },
  exitCodes: [
    [5, "a name differs from an existing one only in case, or its record existed already"],
    [12, "a sender ID must be replaced, a name stands twice, or the records changed meanwhile"],
  ],
  examples: ["sendctl apply sendctl.yaml --dry-run", "sendctl apply sendctl.yaml --prune --yes"],
  async run(context, { manifests }, options) {
    return applyManifest(context, [...manifests, ...options.file], options);
  },
});

/** Applies a manifest after its plan is confirmed. */
async function applyManifest(
  context: Capabilities,
  files: readonly string[],
  options: PlanOptions & { readonly yes: boolean },
): Promise<ExitCode> {
  const maxDeletes = wholeNumber(options.maxDeletes, "--max-deletes", 0)!;
  const { dryRun, quiet } = context.config.settings;
  const isConfirmed = options.yes || dryRun;
  const manifest = await readDesiredState(context, files, options.envPrefix, !isConfirmed);
  if (typeof manifest === "number") return manifest;
  if (!isConfirmed && context.ask.prompter() === undefined) throw unconfirmed("apply");
  if (!isConfirmed && quiet) {
    throw new SendctlError("usage", "--quiet hides the plan that needs confirmation", {
      hint: "pass --yes, or omit --quiet",
    });
  }
  const { service } = context.target;
  const target = safeText(targetName(context.config.settings));
  await context.target.announce();
  const planNow = async (): Promise<Planned | ExitCode> => {
    const memory = await readMemory(context);
    const plan = await makePlan(context, service, manifest, options, memory);
    return typeof plan === "number" ? plan : { manifest, memory, plan };
  };
  if (dryRun) {
    const planned = await planNow();
    if (typeof planned === "number") return planned;
    await reportPlan(context, planned.plan, maxDeletes);
    return exitCodes.done;
  }
  if (options.yes) {
    return underLock(context, target, async (remember) => {
      const planned = await planNow();
      if (typeof planned === "number") return planned;
      await showPlan(context, planned.plan, maxDeletes);
      return carryOut(context, planned, planned.plan.steps, remember);
    });
  }
  const shown = await planNow();
  if (typeof shown === "number") return shown;
  await showPlan(context, shown.plan, maxDeletes);
  const isChosen = await confirmed(context, shown.plan, target);
  if (isChosen === undefined) return context.output.declined("Nothing applied");
  return underLock(context, target, async (remember) => {
    const planned = await planNow();
    if (typeof planned === "number") return planned;
    if (!areSame(planned.plan, shown.plan)) throw changed();
    return carryOut(context, planned, planned.plan.steps.filter(isChosen), remember);
  });
}

/** A plan and what it was made from. */
interface Planned {
  readonly manifest: Manifest;
  readonly memory: Memory;
  readonly plan: Plan;
}

function changed(): SendctlError {
  return new SendctlError(
    "differences",
    "the records have changed since the plan was shown; nothing was applied",
    { hint: "apply again" },
  );
}

/** Maximum number of records named in a question; the plan above it has all of them. */
const maxNamed = 5;

/** Asks for confirmation; deletes have a question of their own. Returns which steps are confirmed, if any. */
async function confirmed(
  context: Capabilities,
  plan: Plan,
  target: string,
): Promise<((step: Step) => boolean) | undefined> {
  const steps = changingSteps(plan).filter((step) => blockedBy(step) === undefined);
  const prompter = context.ask.prompter()!;
  const deletes = steps.filter(({ action }) => action === "delete");
  const count = steps.length - deletes.length;
  const isConfirmed =
    count === 0 ||
    (await prompter.confirm(
      count === 1
        ? `Apply this change to ${target}?`
        : `Apply these ${count} changes to ${target}?`,
    ));
  if (!isConfirmed) return undefined;
  if (deletes.length === 0) return () => true;
  const named = deletes.slice(0, maxNamed).map(deletedTitle);
  const more = deletes.length - named.length;
  const what = `${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  if (await prompter.confirm(`Delete ${what} from ${target}?`)) return () => true;
  await context.output.say("Nothing deleted");
  return count === 0 ? undefined : ({ action }) => action !== "delete";
}

/** Carries out the steps of a plan that change something. */
async function carryOut(
  context: Capabilities,
  { manifest, memory, plan }: Planned,
  chosen: readonly Step[],
  remember: Remember,
): Promise<ExitCode> {
  const { service } = context.target;
  const steps = chosen.filter((step) => step.action !== "keep" && blockedBy(step) === undefined);
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
  // Remembered first, because the process can be killed between any two requests.
  await remember(withPending(memory, steps));
  const outcomes = await execute(steps, {
    service,
    isListed: plan.isListed,
    beforeStep: () => context.clock.sleep(0),
    warn: (line) => context.output.warn(safeText(line)),
    report,
  });
  await progress.done();
  const look = await lookAgain(context, manifest, outcomes, plan.unlisted);
  await remember({ ...settled(memory, outcomes), created: look.unlisted });
  return conclude(context, plan, outcomes, look);
}
