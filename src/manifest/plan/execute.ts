import type { Reply } from "../../contract/service.ts";
import { SendctlError } from "../../core/error.ts";
import { executeStep, type Ending, type Executor } from "./execute-step.ts";
import type { ChangingStep, Step } from "./plan.ts";
import { idText } from "./records.ts";

/** The outcome of a step. */
export type Outcome = { readonly step: Step } & (
  | Ending
  | { readonly outcome: "not tried"; readonly why: string }
);

export interface Execution extends Executor {
  /** Receives each outcome immediately. */
  readonly report: (outcome: Outcome) => Promise<void>;
}

/** Maximum number of concurrent steps. The client paces its requests. */
const maxLanes = 16;

/** Maximum number of consecutive failures of the service. */
const maxFailures = 3;

/** Sender IDs precede the groups that use them. Deletes come last. */
const phases = [
  { kind: "sender-id", isDelete: false, lanes: maxLanes },
  { kind: "group", isDelete: false, lanes: maxLanes },
  { kind: "group", isDelete: true, lanes: maxLanes },
  // No other delete may change which record a name means between its fetch and its delete.
  { kind: "sender-id", isDelete: true, lanes: 1 },
] as const;

/**
 * Executes the steps of a plan. Steps that depend on a failed one are not tried. All others continue, unless the service
 * has become unusable.
 *
 * @returns the outcomes in the order in which the steps ended
 */
export async function execute(steps: readonly Step[], execution: Execution): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const health = watchHealth();
  const deletedIds = new Set(
    steps.flatMap((step) =>
      step.kind === "sender-id" && step.action === "delete" ? (idText(step.existing) ?? []) : [],
    ),
  );
  const changing = steps.filter((step): step is ChangingStep => step.action !== "keep");
  for (const { kind, isDelete, lanes } of phases) {
    const obstacleTo = obstaclesAfter(outcomes);
    const queue = changing
      .filter((step) => step.kind === kind && (step.action === "delete") === isDelete)
      .values();
    const lane = async (): Promise<void> => {
      for (const step of queue) {
        const why = health.stopped() ?? obstacleTo(step);
        const outcome: Outcome =
          why === undefined
            ? { step, ...(await executeStep(step, execution, deletedIds)) }
            : { step, outcome: "not tried", why };
        health.observe(outcome);
        outcomes.push(outcome);
        await execution.report(outcome);
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
  }
  return outcomes;
}

/** Returns a function that returns why a step of the next phase is not tried after the outcomes of earlier ones. */
function obstaclesAfter(outcomes: readonly Outcome[]): (step: ChangingStep) => string | undefined {
  const undone = outcomes.filter(({ outcome }) => outcome !== "done").map(({ step }) => step);
  const senderIds = new Set(
    undone.flatMap((step) =>
      step.kind === "sender-id" && "desired" in step ? step.desired.name : [],
    ),
  );
  return (step) => {
    // Nothing is deleted after a failure: the record may be the only copy of one that could not be created under another
    // name, and a group that could not be changed or deleted may still use the sender ID.
    if (step.action === "delete") return undone.length > 0 ? "other changes failed" : undefined;
    const senderId = step.kind === "group" ? step.desired.sender_id : undefined;
    return typeof senderId === "string" && senderIds.has(senderId)
      ? `its sender ID ${senderId} was not created or replaced`
      : undefined;
  };
}

/** Watches outcomes for signs that the service has become unusable. */
function watchHealth() {
  let failures = 0;
  let stopped: string | undefined;
  return {
    /** Returns why no further step is tried. */
    stopped: (): string | undefined => stopped,
    observe: (outcome: Outcome): void => {
      if (outcome.outcome === "not tried") return;
      const cause = outcome.outcome === "failed" ? outcome.cause : undefined;
      failures = cause !== undefined && isServiceFailure(cause) ? failures + 1 : 0;
      if (cause !== undefined && isFatal(cause)) stopped ??= "stopped after an earlier error";
      if (failures >= maxFailures) stopped ??= `the service failed ${failures} times in a row`;
    },
  };
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
