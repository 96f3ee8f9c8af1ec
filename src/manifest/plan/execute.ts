import type { Reply } from "../../contract/service.ts";
import { SendctlError } from "../../core/error.ts";
import { executeStep, type Ending, type Executor } from "./execute-step.ts";
import type { GroupStep, Step } from "./plan.ts";
import { idText } from "./records.ts";

/** The outcome of a step. */
export type Outcome = Ending & { readonly step: Step };

export interface Execution extends Executor {
  /** Receives each outcome immediately. */
  readonly report: (outcome: Outcome) => Promise<void>;
}

/** Maximum number of concurrent steps. The client paces its requests. */
const maxLanes = 16;

/** Maximum number of consecutive failures of the service. */
const maxFailures = 3;

/**
 * Executes the steps of a plan: sender IDs before the groups that use them, deletes last. Steps that depend on a failed
 * one are not tried. All others continue, unless the service has become unusable.
 */
export async function execute(steps: readonly Step[], execution: Execution): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const failedSenderIds = new Set<string>();
  let hasFailed = false;
  /** Why no further step is tried. */
  let stopped: string | undefined;
  let failures = 0;
  const deletedIds = new Set(
    steps.flatMap((step) =>
      step.kind === "sender-id" && step.action === "delete" ? (idText(step.existing) ?? []) : [],
    ),
  );

  const note = async (outcome: Outcome): Promise<void> => {
    outcomes.push(outcome);
    const { step } = outcome;
    if (outcome.outcome === "done") failures = 0;
    else {
      hasFailed = true;
      if (step.kind === "sender-id" && step.action !== "delete") {
        failedSenderIds.add(step.desired.name);
      }
    }
    if (outcome.outcome === "failed") {
      failures = isServiceFailure(outcome.cause) ? failures + 1 : 0;
      stopped ??= isFatal(outcome.cause) ? "stopped after an earlier error" : undefined;
      if (failures >= maxFailures) stopped ??= `the service failed ${failures} times in a row`;
    }
    await execution.report(outcome);
  };

  const phase = async (
    isIncluded: (step: Step) => boolean,
    blocked: (step: Step) => string | undefined,
    lanes = maxLanes,
  ): Promise<void> => {
    const queue = steps.filter(isIncluded).values();
    const lane = async (): Promise<void> => {
      for (const step of queue) {
        const why = stopped ?? blocked(step);
        const ending: Ending =
          why === undefined
            ? await executeStep(step, execution, deletedIds)
            : { outcome: "not tried", why };
        await note({ step, ...ending });
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
  };

  await phase(
    (step) => step.kind === "sender-id" && isChange(step),
    () => undefined,
  );
  await phase(
    (step) => step.kind === "group" && isChange(step),
    (step) => missingSenderId(step as GroupStep, failedSenderIds),
  );
  // Nothing is deleted after a failure: the record may be the only copy of one that could not be created under another
  // name, and a group that could not be changed or deleted may still use the sender ID.
  for (const noun of ["group", "sender-id"]) {
    const why = hasFailed ? "other changes failed" : undefined;
    await phase(
      ({ kind, action }) => kind === noun && action === "delete",
      () => why,
      // No other delete may change which record a name means between its fetch and its delete.
      noun === "sender-id" ? 1 : maxLanes,
    );
  }
  return outcomes;
}

/** Returns whether a step precedes the deletes. */
function isChange({ action }: Step): boolean {
  return action !== "keep" && action !== "delete";
}

function missingSenderId(
  step: GroupStep,
  failedSenderIds: ReadonlySet<string>,
): string | undefined {
  if (step.action === "delete") return undefined;
  const { sender_id } = step.desired;
  return typeof sender_id === "string" && failedSenderIds.has(sender_id)
    ? `its sender ID ${sender_id} was not created or replaced`
    : undefined;
}

/** Returns whether the service may be down or overloaded. A value that is stored differently is not a sign of that. */
function isServiceFailure(cause: Reply | SendctlError): boolean {
  return cause instanceof SendctlError
    ? cause.stored === undefined &&
        ["unavailable", "outcome_unknown", "unexpected_response"].includes(cause.kind)
    : cause.status >= 500 || cause.status === 429;
}

/** Returns whether all further requests would fail, too. */
function isFatal(cause: Reply | SendctlError): boolean {
  const passing = ["unavailable", "outcome_unknown", "unexpected_response", "conflict"];
  return cause instanceof SendctlError
    ? !passing.includes(cause.kind)
    : cause.status === 401 || cause.status === 403;
}
