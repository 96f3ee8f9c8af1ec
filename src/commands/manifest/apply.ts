import type { Session } from "../../command/session.ts";
import { targetName } from "../../config/target.ts";
import { exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import { SendctlError } from "../../core/error.ts";
import { firstOf, safeText } from "../../core/text.ts";
import { type Outcome, execute, settled, withPending } from "../../manifest/plan/execute.ts";
import {
  memoryText,
  parseMemory,
  type Memory,
  blockedBy,
  changingSteps,
  dueSteps,
  type Plan,
  type Step,
} from "../../manifest/plan/plan.ts";
import { makePlan, manifestFiles, planOptions, readDesiredState } from "./desired-state.ts";
import {
  openPlanFile,
  readPlanFile,
  refuseChanges,
  type ReviewedStep,
  reviewedSteps,
} from "./saved-plan.ts";
import { stepData, deletedTitle, doneLine, outcomeLine } from "./step-data.ts";
import { defineCommand, flag, text } from "../../command/define-command.ts";
import { conclude, reportPlan, showPlan } from "./report.ts";
import {
  confirm,
  isConfirmedByName,
  contradiction,
  mustConfirm,
  refuseDryRun,
  unconfirmed,
  wholeNumber,
} from "../../command/arguments.ts";
import { exportRecords } from "./export.ts";
import { validate } from "./validate.ts";

export const diff = defineCommand({
  path: "diff",
  description:
    "Show what apply would change, field by field, without changing anything. -o markdown prints the plan for a pull request.",
  args: { manifests: manifestFiles },
  options: {
    ...planOptions,
    save: text("--save <plan>", "write the plan to this file, for apply --plan", { takes: "file" }),
  },
  exitCodes: [
    [0, "no differences"],
    [12, "the service differs from the manifest"],
  ],
  examples: [
    "sendctl diff sendctl.yaml",
    "sendctl diff sendctl.yaml --prune --json",
    "sendctl diff sendctl.yaml --save plan.json -o markdown",
  ],
  async run(context, { manifests }, options) {
    refuseDryRun(context, "this command changes nothing");
    const maxDeletes = wholeNumber(options.maxDeletes, "--max-deletes", 0)!;
    const { save } = options;
    const savePlan = save === undefined ? undefined : openPlanFile(context, save);
    const desired = await readDesiredState(context, manifests, options, false);
    await context.target.announce();
    const plan = await makePlan(context, context.service, desired, await memoryOf(context));
    await savePlan?.(desired, plan);
    const count = await reportPlan(context, plan, maxDeletes);
    return count === 0 ? exitCodes.done : exitCodes.differences;
  },
});

/**
 * The way of `sendctl apply`, over HTTP as embedded:
 *
 * 1. `desired-state.ts` reads the manifest (`manifest/read.ts`, each record in `read-record.ts`),
 *    or `saved-plan.ts` a saved plan.
 * 2. It reads the lists that the plan needs (`service/read-list.ts`), with what this user has just
 *    written (`client/recent-writes.ts`), and `manifest/plan/plan.ts` matches them with the
 *    manifest (`match-records.ts`) and with what earlier applies remember (`memory.ts`).
 * 3. `report.ts` shows the plan, each step as `step-data.ts` writes it; then the user confirms it.
 * 4. Under a lock (`command/config.ts`, `config/state-file.ts`) the plan is made again (with
 *    `--yes`, only here), and refused if the reviewed or saved one differs (`reviewed-steps.ts`).
 * 5. `manifest/plan/execute.ts` sends the steps by phase, each by `execute-step.ts`. What the next
 *    apply needs is stored before the first request, in case of a kill, and after the last.
 * 6. `report.ts` reports what was done and what is left.
 */
export const apply = defineCommand({
  path: "apply",
  changes: "service",
  description:
    "Apply a YAML or JSON manifest: show the plan, ask for confirmation, then create and update records. --dry-run only shows the plan. Nothing is deleted without --prune or --replace. After a failure, apply again to continue. Two applies on one machine wait for each other; on several machines, run one at a time: both could create the same records.",
  args: { manifests: manifestFiles },
  options: {
    ...planOptions,
    plan: text(
      "--plan <plan>",
      "apply a plan saved by diff --save, unless something has changed since",
      {
        takes: "file",
        // The plan has them.
        conflicts: ["file", "envPrefix", "prune", "replace", "resendSenderId"],
      },
    ),
    yes: flag("-y, --yes", "apply without confirmation"),
  },
  exitCodes: [
    [5, "a name reads the same as an existing one, or its record existed already"],
    [12, "a sender ID must be replaced, or the records changed meanwhile"],
  ],
  examples: [
    "sendctl apply sendctl.yaml --dry-run",
    "sendctl apply sendctl.yaml --prune --yes",
    "sendctl apply --plan plan.json",
  ],
  async run(context, { manifests }, options) {
    const maxDeletes = wholeNumber(options.maxDeletes, "--max-deletes", 0)!;
    const { settings } = context.config;
    const mustAsk = !options.yes && !settings.dryRun && !isConfirmedByName(settings);
    const { plan } = options;
    if (plan !== undefined && manifests.length > 0) throw contradiction("--plan", "FILE");
    const desired = await (plan === undefined
      ? readDesiredState(context, manifests, options, mustAsk)
      : readPlanFile(context, plan));
    const { service } = context.target;
    const review: Review = {
      verb: "apply",
      plan: (memory, isReviewed) => makePlan(context, service, desired, memory, isReviewed),
      reviewed: desired.reviewed,
      maxDeletes,
    };
    return carryOut(context, review, mustAsk);
  },
});

/** A change of many records that a person reviews: that of a manifest, or an undo. */
export interface Review {
  readonly verb: "apply" | "undo";
  /** Reads the records and makes the plan. @param isReviewed whether a person has seen it before */
  readonly plan: (memory: Memory, isReviewed: boolean) => Promise<Plan>;
  /** The steps of a saved plan: only those are carried out. */
  readonly reviewed?: readonly ReviewedStep[] | undefined;
  /** Maximum number of records to delete (default: any number). */
  readonly maxDeletes?: number;
  /** Called after each step that was carried out. */
  readonly done?: (step: Step) => Promise<void>;
}

/** Shows a plan, asks, and carries it out. @param mustAsk false with `--yes` or `--dry-run` */
export async function carryOut(
  context: Session,
  review: Review,
  mustAsk: boolean,
): Promise<ExitCode> {
  const { verb, maxDeletes = Infinity } = review;
  const { dryRun, quiet } = context.config.settings;
  if (mustAsk && context.ask.prompter() === undefined) throw unconfirmed(verb);
  if (mustAsk && quiet) {
    throw new SendctlError("usage", "--quiet hides the plan that needs confirmation", {
      hint: "pass --yes, or omit --quiet",
    });
  }
  const target = safeText(targetName(context.config.settings));
  await context.target.announce();
  /** Passes a plan on, or returns an exit code after reporting why it is not what was reviewed. */
  const planNow = async (
    reviewed: Review["reviewed"],
    use: (plan: Plan, memory: Memory) => Promise<ExitCode>,
  ): Promise<ExitCode> => {
    const memory = await memoryOf(context);
    const plan = await review.plan(memory, reviewed !== undefined);
    const refused = reviewed && (await refuseChanges(context, reviewed, plan));
    return refused ?? use(plan, memory);
  };
  if (dryRun) {
    return planNow(review.reviewed, async (plan) => {
      await reportPlan(context, plan, maxDeletes);
      return exitCodes.done;
    });
  }
  if (!mustAsk) {
    return underLock(context, target, (remember) =>
      planNow(review.reviewed, async (plan, memory) => {
        await showPlan(context, plan, maxDeletes);
        if (isGuarded(review, plan.steps)) mustConfirm(context, true, verb);
        return sendSteps(context, review, plan, memory, remember);
      }),
    );
  }
  return planNow(review.reviewed, async (shown) => {
    await showPlan(context, shown, maxDeletes);
    await confirmPlan(context, shown, target, review);
    return underLock(context, target, (remember) =>
      planNow(reviewedSteps(shown), (plan, memory) =>
        sendSteps(context, review, plan, memory, remember),
      ),
    );
  });
}

/**
 * Returns whether a protected target asks for some steps as for a delete: those of a saved plan or
 * an undo, or a delete or replacement.
 */
function isGuarded({ verb, reviewed }: Review, steps: readonly Step[]): boolean {
  if (verb === "undo" || reviewed !== undefined) return true;
  return steps.some((step) =>
    step.action === "replace" ? step.isAllowed : step.action === "delete",
  );
}

async function confirmPlan(
  context: Session,
  plan: Plan,
  target: string,
  review: Review,
): Promise<void> {
  const { verb } = review;
  const steps = dueSteps(plan);
  if (steps.length === 0) return;
  const scope = isGuarded(review, steps) ? "service" : undefined;
  if (scope !== undefined && !mustConfirm(context, false, verb)) return;
  if (verb === "undo") {
    return confirm(context, verb, `Undo this on ${target}?`, "Nothing undone", scope);
  }
  const changes = steps.length === 1 ? "this change" : `these ${steps.length} changes`;
  // The plan above the question names them all.
  const deleted = firstOf(steps.filter(({ action }) => action === "delete").map(deletedTitle));
  const deleting = deleted === "" ? "" : `, deleting ${deleted}`;
  const question = `Apply ${changes} to ${target}${deleting}?`;
  await confirm(context, verb, question, "Nothing applied", scope);
}

/** Sends the steps of a plan that change something. @param memory of earlier applies */
async function sendSteps(
  context: Session,
  { verb, done }: Review,
  plan: Plan,
  memory: Memory,
  remember: Remember,
): Promise<ExitCode> {
  const { output, target } = context;
  const steps = dueSteps(plan);
  const progress = output.progress();
  let count = 0;
  const report = async (outcome: Outcome): Promise<void> => {
    count += 1;
    const { step, result, error } = outcome;
    const isDone = result === "done";
    if (isDone) await done?.(step);
    if (!isDone || error !== undefined) {
      await output.printError(outcomeLine(outcome, output.database));
    }
    await output.event(stepData(outcome, output.database), isDone ? doneLine(outcome) : undefined);
    await progress.update(`${count} of ${steps.length}`);
  };
  // Remembered first, because the process can be killed between any two requests.
  await remember(withPending(memory, steps));
  const outcomes = await execute(steps, {
    service: target.service,
    isListed: plan.isListed,
    mustChange: verb === "undo",
    beforeStep: () => context.clock.sleep(0),
    warn: (line) => output.warn(safeText(line)),
    found: async (kind, record) => (await target.journal()).found(kind, record),
    report,
  });
  await progress.done();
  await remember(settled(memory, outcomes));
  const outcomeOf = new Map(outcomes.map((outcome) => [outcome.step, outcome]));
  const all = changingSteps(plan).map((step): Outcome => {
    return outcomeOf.get(step) ?? { step, result: "skipped", note: blockedBy(step) };
  });
  return conclude(context, plan, all, verb);
}

/** Stores what the next apply to this target has to know. */
type Remember = (memory: Memory) => Promise<void>;

/** Reads the memory of earlier applies. */
async function memoryOf({ state }: Session): Promise<Memory> {
  return parseMemory(await state.read());
}

/**
 * Runs an apply while no other one of this user changes the target. If the state cannot be written,
 * it warns and goes on without.
 */
async function underLock(
  { state, output }: Session,
  target: string,
  run: (remember: Remember) => Promise<ExitCode>,
): Promise<ExitCode> {
  const warn = async (error: unknown): Promise<undefined> => {
    const { code } = error as NodeJS.ErrnoException;
    const isUsage = error instanceof SendctlError && error.kind === "usage";
    if (!isUsage && code === undefined) throw error;
    await output.warn(
      `the state of this apply cannot be saved (${isUsage ? error.message : code}), so other applies will not ` +
        "wait for it; if it is interrupted, pass --resend-sender-id next time",
    );
    return undefined;
  };
  const waiting = `Another apply to ${target} is running; waiting up to 10 minutes`;
  let held = await state.hold(() => output.say(waiting)).catch(warn);
  const remember = async (memory: Memory): Promise<void> => {
    try {
      held?.write(memoryText(memory, output.hasSecret));
    } catch (error) {
      held?.release();
      held = await warn(error);
    }
  };
  try {
    return await run(remember);
  } finally {
    held?.release();
  }
}

/** The commands of manifests. */
export const commands = [apply, diff, validate, exportRecords];
