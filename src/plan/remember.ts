import { SendctlError } from "../contract/error.ts";
import type { Outcome } from "./execute.ts";
import { keyOf, type Memory, type OwedSenderId, type StoredAs } from "./memory.ts";
import type { Step } from "./plan.ts";
import { groupKey } from "./record-keys.ts";

/**
 * Returns the groups whose sender ID no later plan would see as missing if the steps were interrupted. They are stored
 * before the first request, because the process can end between any two requests.
 */
export function owedBy(steps: readonly Step[]): OwedSenderId[] {
  return steps.flatMap((step) => owedOf(step) ?? []);
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

/** Adds groups to a memory. */
export function withOwed(memory: Memory, more: readonly OwedSenderId[]): Memory {
  const { owed } = memory;
  const known = new Set(owed.map(textOf));
  return { ...memory, owed: [...owed, ...more.filter((one) => !known.has(textOf(one)))] };
}

/** Updates a memory with the outcomes of steps. */
export function settled(memory: Memory, outcomes: readonly Outcome[]): Memory {
  const dropped = new Set<string>();
  const owed: OwedSenderId[] = [];
  const replaced = new Set<string>();
  const deleted = new Set<string>();
  const stored: StoredAs[] = [];
  for (const outcome of outcomes) {
    const { step } = outcome;
    for (const one of outdatedOf(outcome)) dropped.add(textOf(one));
    const left = leftOf(outcome);
    if (left !== undefined) owed.push(left);
    for (const one of storedBy(outcome)) {
      replaced.add(keyOf(one));
      stored.push(one);
    }
    const isGone = step.action === "delete" || step.action === "replace";
    if (isGone && outcome.outcome === "done")
      deleted.add(recordText(step.kind, step.existing["id"]));
  }
  return withOwed(
    {
      ...memory,
      owed: memory.owed.filter((one) => !dropped.has(textOf(one))),
      stored: [
        ...memory.stored.filter(
          (one) => !replaced.has(keyOf(one)) && !deleted.has(recordText(one.kind, one.id)),
        ),
        ...stored,
      ],
    },
    owed,
  );
}

/** Returns the entries that the outcome of a step replaces. */
function outdatedOf({ step }: Outcome): OwedSenderId[] {
  const owed = owedOf(step);
  if (owed === undefined) return [];
  // A group that an earlier apply created is stored by its name until its id is known.
  return owed.id === undefined ? [owed] : [owed, { name: owed.name }];
}

/** Returns the group of a step that may still lack its sender ID. */
export function leftOf(outcome: Outcome): OwedSenderId | undefined {
  const owed = owedOf(outcome.step);
  if (owed === undefined || outcome.outcome === "done") return undefined;
  if (owed.id !== undefined) return owed;
  // The next apply creates the group with its sender ID.
  if (outcome.outcome === "not tried") return undefined;
  const { cause, created } = outcome;
  if (created !== undefined) return { ...owed, id: groupKey(created) };
  return cause instanceof SendctlError || cause.status >= 500 ? owed : undefined;
}

function storedBy(outcome: Outcome): StoredAs[] {
  if (outcome.outcome !== "failed" || !(outcome.cause instanceof SendctlError)) return [];
  const { stored = [], record } = outcome.cause;
  const id = record?.["id"];
  if (id === undefined || id === null) return [];
  return stored.map((one) => ({ kind: outcome.step.kind, id: String(id as unknown), ...one }));
}

function recordText(kind: string, id: unknown): string {
  return `${kind} ${String(id)}`;
}

function textOf({ name, id }: OwedSenderId): string {
  return id === undefined ? `name ${name}` : `id ${id}`;
}
