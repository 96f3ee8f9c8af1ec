import type { ErrorKind } from "../../core/error.ts";
import { type Ending, type Executor, executeStep } from "./execute-step.ts";
import { type ChangingStep, type Step, keyOfId, keyOfName, type Memory } from "./plan.ts";
import { groupKey } from "../manifest.ts";
import { isRefusal } from "../../service/refusals.ts";

/** The result of a step of a plan. */
export interface Outcome extends Omit<Ending, "result"> {
  readonly step: Step;
  /** A step that is skipped has the reason as its note. */
  readonly result: Ending["result"] | "skipped";
}

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
 * Executes the steps of a plan. Steps that depend on a failed one are not tried. All others
 * continue, unless the service has become unusable.
 *
 * @returns the outcomes in the order of the steps
 */
export async function execute(steps: readonly Step[], execution: Execution): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const health = watchHealth();
  const changing = steps.filter((step): step is ChangingStep => step.action !== "keep");
  for (const { kind, isDelete, lanes } of phases) {
    const obstacleTo = obstaclesAfter(outcomes);
    const queue = changing
      .filter((step) => step.kind === kind && (step.action === "delete") === isDelete)
      .values();
    const lane = async (): Promise<void> => {
      for (const step of queue) {
        const note = health.stopped() ?? obstacleTo(step);
        const observe = health.begun();
        const outcome: Outcome =
          note === undefined
            ? { step, ...(await executeStep(step, execution)) }
            : { step, result: "skipped", note };
        observe(outcome);
        outcomes.push(outcome);
        await execution.report(outcome);
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
  }
  const order = new Map(steps.map((step, index) => [step, index]));
  return outcomes.toSorted((a, b) => order.get(a.step)! - order.get(b.step)!);
}

/** Returns a function that returns why a next-phase step is not tried after these outcomes. */
function obstaclesAfter(outcomes: readonly Outcome[]): (step: ChangingStep) => string | undefined {
  const undone = outcomes.filter(({ result, error }) => result !== "done" || error !== undefined);
  const senderIds = new Set(
    undone.flatMap(({ step, result, error }) => {
      const isRenamed = error?.details.stored?.some(({ field }) => field === "name") === true;
      const isThere = result === "done" && !isRenamed;
      return step.kind === "sender-id" && "desired" in step && !isThere ? step.desired.name : [];
    }),
  );
  return (step) => {
    // Nothing is deleted after a failure: the record may be the only copy of one not created under
    // another name, and a group that failed may still use the sender ID.
    if (step.action === "delete")
      return undone.length > 0 ? "other changes failed or differ" : undefined;
    const senderId = step.kind === "group" ? step.desired.sender_id : undefined;
    return typeof senderId === "string" && senderIds.has(senderId)
      ? `its sender ID ${senderId} was not created, replaced or stored under this name`
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
    /** Begins a step. @returns the function that takes its outcome */
    begun: () => {
      const before = failures;
      return (outcome: Outcome): void => {
        if (outcome.result === "skipped") return;
        const hasFailed = outcome.result !== "done";
        // Steps that a rate limit refuses together count once: the client then slows down.
        const count = isLimit(outcome) ? Math.max(failures, before + 1) : failures + 1;
        failures = hasFailed && isServiceFailure(outcome) ? count : 0;
        if (hasFailed && isFatal(outcome)) stopped ??= "stopped after an earlier error";
        if (failures >= maxFailures) stopped ??= `the service failed ${failures} times in a row`;
      };
    },
  };
}

/** Kinds of errors that may pass, although the service may be down or overloaded. */
const passing: ReadonlySet<ErrorKind> = new Set([
  "unavailable",
  "outcome_unknown",
  "unexpected_response",
]);

/** Returns whether a create hit a rate limit, as nginx's 503: the look-up after it succeeded. */
function isLimit({ error }: Outcome): boolean {
  const { httpStatus, lookup } = error?.details ?? {};
  return httpStatus === 503 && lookup?.result === "not_found";
}

/** Returns whether the service may be down or overloaded. */
function isServiceFailure({ error }: Outcome): boolean {
  if (!isRefusal(error)) return passing.has(error!.kind);
  const { status } = error.reply;
  return status >= 500 || status === 429;
}

/** Returns whether all further requests would fail, too. */
function isFatal({ error }: Outcome): boolean {
  if (isRefusal(error)) return [401, 403].includes(error.reply.status);
  return !passing.has(error!.kind) && error!.kind !== "conflict";
}

/**
 * Adds the groups whose sender ID no later plan would see as missing if the steps were interrupted.
 * They are stored before the first request, because the process can end between any two requests.
 */
export function withPending(memory: Memory, steps: readonly Step[]): Memory {
  return [...memory, ...steps.flatMap((step) => pendingBefore(step) ?? [])];
}

/** Returns the key of the group whose sender ID a step sends. */
function pendingBefore(step: Step): string | undefined {
  if (step.kind !== "group") return undefined;
  if (step.action === "create") {
    const { name, sender_id } = step.desired;
    return typeof sender_id === "string" ? keyOfName(name) : undefined;
  }
  if (step.action !== "update" || step.desired.sender_id === undefined) return undefined;
  return keyOfId(groupKey(step.existing));
}

/** Returns the key of the group of a step that may still lack its sender ID. */
export function pendingAfter({ step, result, error, record }: Outcome): string | undefined {
  const pending = pendingBefore(step);
  if (pending === undefined || result === "done") return undefined;
  if (step.action === "update") return pending;
  // The next apply creates the group with its sender ID.
  if (result === "skipped") return undefined;
  if (record !== undefined) return keyOfId(groupKey(record));
  const mayExist = isRefusal(error) ? error.reply.status >= 500 : error?.kind !== "conflict";
  return mayExist ? pending : undefined;
}

/** Returns a memory after steps. @param memory the plan's, without what `withPending` added */
export function settled(memory: Memory, outcomes: readonly Outcome[]): Memory {
  const outdated = new Set(
    outcomes.flatMap(({ step }) => {
      const pending = pendingBefore(step);
      // A group that an earlier apply created is stored by its name until its id is known.
      return pending && "desired" in step ? [pending, keyOfName(step.desired.name)] : [];
    }),
  );
  return [
    ...memory.filter((key) => !outdated.has(key)),
    ...outcomes.flatMap((outcome) => pendingAfter(outcome) ?? []),
  ];
}
