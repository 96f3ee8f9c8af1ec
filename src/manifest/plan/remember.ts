import { SendctlError } from "../../core/error.ts";
import type { Outcome } from "./execute.ts";
import { keyOf, type Memory, type PendingSenderId, type StoredAs } from "./memory.ts";
import type { Step } from "./plan.ts";
import { groupKey, recordKey } from "./records.ts";

/**
 * Adds the groups whose sender ID no later plan would see as missing if the steps were interrupted. They are stored
 * before the first request, because the process can end between any two requests.
 */
export function withPending(memory: Memory, steps: readonly Step[]): Memory {
  const pending = steps.flatMap((step) => pendingBefore(step) ?? []);
  return { ...memory, pending: [...memory.pending, ...pending] };
}

/** Returns the group whose sender ID a step sends. */
function pendingBefore(step: Step): PendingSenderId | undefined {
  if (step.kind !== "group") return undefined;
  if (step.action === "create") {
    const { name, sender_id } = step.desired;
    return typeof sender_id === "string" ? { name } : undefined;
  }
  if (step.action !== "update" || step.desired.sender_id === undefined) return undefined;
  return { name: step.desired.name, id: groupKey(step.existing) };
}

/** Returns the group of a step that may still lack its sender ID. */
export function pendingAfter(outcome: Outcome): PendingSenderId | undefined {
  const pending = pendingBefore(outcome.step);
  if (pending === undefined || outcome.outcome === "done") return undefined;
  if (pending.id !== undefined) return pending;
  // The next apply creates the group with its sender ID.
  if (outcome.outcome === "not tried") return undefined;
  const { cause, record } = outcome;
  if (record !== undefined) return { ...pending, id: groupKey(record) };
  const mayExist = cause instanceof SendctlError ? cause.kind !== "conflict" : cause.status >= 500;
  return mayExist ? pending : undefined;
}

/** Returns a memory after steps. @param memory that of the plan, without what `withPending` added */
export function settled(memory: Memory, outcomes: readonly Outcome[]): Memory {
  const sent = outcomes.flatMap(({ step }) => pendingBefore(step) ?? []);
  // A group that an earlier apply created is stored by its name until its id is known.
  const outdated = new Set(sent.flatMap((group) => [textOf(group), textOf({ name: group.name })]));
  const removed = new Set(outcomes.flatMap((outcome) => removedBy(outcome) ?? []));
  const stored = outcomes.flatMap(storedBy);
  const replaced = new Set(stored.map(keyOf));
  return {
    ...memory,
    pending: [
      ...memory.pending.filter((group) => !outdated.has(textOf(group))),
      ...outcomes.flatMap((outcome) => pendingAfter(outcome) ?? []),
    ],
    stored: [
      ...memory.stored.filter(
        (entry) => !replaced.has(keyOf(entry)) && !removed.has(recordKey(entry.kind, entry.id)),
      ),
      ...stored,
    ],
  };
}

/** Returns the record that a step removed. */
function removedBy({ outcome, step }: Outcome): string | undefined {
  const isRemoved = outcome === "done" && (step.action === "delete" || step.action === "replace");
  return isRemoved ? recordKey(step.kind, step.existing["id"]) : undefined;
}

function storedBy(outcome: Outcome): StoredAs[] {
  if (outcome.outcome !== "failed" || !(outcome.cause instanceof SendctlError)) return [];
  const { stored = [], record } = outcome.cause;
  const id = record?.["id"] ?? undefined;
  if (id === undefined) return [];
  return stored.map((entry) => ({ kind: outcome.step.kind, id: String(id as unknown), ...entry }));
}

function textOf({ name, id }: PendingSenderId): string {
  return id === undefined ? `name ${name}` : `id ${id}`;
}
