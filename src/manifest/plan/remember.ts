import { SendctlError } from "../../core/error.ts";
import type { Outcome } from "./execute.ts";
import { keyOf, type Memory, type OwedSenderId, type StoredAs } from "./memory.ts";
import type { Step } from "./plan.ts";
import { groupKey, recordKey } from "./records.ts";

/**
 * Adds the groups whose sender ID no later plan would see as missing if the steps were interrupted. They are stored
 * before the first request, because the process can end between any two requests.
 */
export function withOwed(memory: Memory, steps: readonly Step[]): Memory {
  return { ...memory, owed: [...memory.owed, ...steps.flatMap((step) => owedOf(step) ?? [])] };
}

function owedOf(step: Step): OwedSenderId | undefined {
  if (step.kind !== "group") return undefined;
  if (step.action === "create") {
    const { name, sender_id } = step.desired;
    return typeof sender_id === "string" ? { name } : undefined;
  }
  if (step.action !== "update" || step.desired.sender_id === undefined) return undefined;
  return { name: step.desired.name, id: groupKey(step.existing) };
}

/** Returns a memory after steps. @param memory that of the plan, without what `withOwed` added */
export function settled(memory: Memory, outcomes: readonly Outcome[]): Memory {
  const owing = outcomes.flatMap(({ step }) => owedOf(step) ?? []);
  // A group that an earlier apply created is stored by its name until its id is known.
  const outdated = new Set(owing.flatMap((owed) => [textOf(owed), textOf({ name: owed.name })]));
  const gone = new Set(outcomes.flatMap((outcome) => goneBy(outcome) ?? []));
  const stored = outcomes.flatMap(storedBy);
  const replaced = new Set(stored.map(keyOf));
  return {
    ...memory,
    owed: [
      ...memory.owed.filter((owed) => !outdated.has(textOf(owed))),
      ...outcomes.flatMap((outcome) => leftOf(outcome) ?? []),
    ],
    stored: [
      ...memory.stored.filter(
        (entry) => !replaced.has(keyOf(entry)) && !gone.has(recordKey(entry.kind, entry.id)),
      ),
      ...stored,
    ],
  };
}

/** Returns the group of a step that may still lack its sender ID. */
export function leftOf(outcome: Outcome): OwedSenderId | undefined {
  const owed = owedOf(outcome.step);
  if (owed === undefined || outcome.outcome === "done") return undefined;
  if (owed.id !== undefined) return owed;
  // The next apply creates the group with its sender ID.
  if (outcome.outcome === "not tried") return undefined;
  const { cause, record } = outcome;
  if (record !== undefined) return { ...owed, id: groupKey(record) };
  const mayExist = cause instanceof SendctlError ? cause.kind !== "conflict" : cause.status >= 500;
  return mayExist ? owed : undefined;
}

/** Returns the record that a step removed. */
function goneBy({ outcome, step }: Outcome): string | undefined {
  const isGone = outcome === "done" && (step.action === "delete" || step.action === "replace");
  return isGone ? recordKey(step.kind, step.existing["id"]) : undefined;
}

function storedBy(outcome: Outcome): StoredAs[] {
  if (outcome.outcome !== "failed" || !(outcome.cause instanceof SendctlError)) return [];
  const { stored = [], record } = outcome.cause;
  const id = record?.["id"];
  if (id === undefined || id === null) return [];
  return stored.map((one) => ({ kind: outcome.step.kind, id: String(id as unknown), ...one }));
}

function textOf({ name, id }: OwedSenderId): string {
  return id === undefined ? `name ${name}` : `id ${id}`;
}
