import { isRefused, succeeded, type Reply, type Service } from "../contract/service.ts";
import type { Outcome } from "./execute.ts";
import type { Existing } from "./group-changes.ts";
import type { CreatedRecord, Memory } from "./memory.ts";
import type { Planner } from "./plan.ts";
import { idText } from "./record-keys.ts";

/** Maximum lag of lists in milliseconds. Older records are expected in every list. */
const maxListLag = 10 * 60_000;

/** Maximum time in milliseconds until a created record can be fetched. */
const maxFetchLag = 5000;

/** Time between two attempts to fetch a record, in milliseconds. */
const fetchInterval = 1000;

/** Maximum number of created records in the state file; the newest are stored. */
const maxRemembered = 10_000;

/** Adds the records that steps created to a memory. @param now milliseconds since 1970 */
export function withCreated(memory: Memory, outcomes: readonly Outcome[], now: number): Memory {
  const changed = new Set(outcomes.map(({ step }) => keyOf(step.kind, nameOfStep(step))));
  const kept = memory.created.filter(
    ({ kind, name, at }) => isRecent(at, now) && !changed.has(keyOf(kind, name)),
  );
  const created = outcomes.flatMap((outcome) => createdBy(outcome, now) ?? []);
  return { ...memory, created: [...kept, ...created].slice(-maxRemembered) };
}

/** Returns whether a list may lag behind a create. Records in the future (the clock was set back) do not count. */
function isRecent(at: number, now: number): boolean {
  return at <= now && at > now - maxListLag;
}

function createdBy(outcome: Outcome, at: number): CreatedRecord | undefined {
  const { step } = outcome;
  if ((step.action !== "create" && step.action !== "replace") || outcome.outcome === "not tried") {
    return undefined;
  }
  const record = outcome.outcome === "done" ? outcome.record : recordOfFailure(outcome);
  const id = record === undefined ? undefined : idText(record);
  return id === undefined ? undefined : { kind: step.kind, id, name: step.desired.name, at };
}

/** Returns the record of a failed step if it was created. */
function recordOfFailure({ cause, created }: Outcome & { readonly outcome: "failed" }) {
  return created ?? ("record" in cause ? cause.record : undefined);
}

function nameOfStep(step: Outcome["step"]): string {
  return step.action === "delete" ? String(step.existing["name"]) : step.desired.name;
}

/** A planner that reports which remembered records were missing from the lists. */
export interface Watching extends Planner {
  readonly unlisted: () => readonly CreatedRecord[];
}

/** Wraps a planner to track which remembered records it receives. @param now milliseconds since 1970 */
export function watching(planner: Planner, { created }: Memory, now: number): Watching {
  const { needs } = planner;
  const missing = created.filter(
    ({ kind, at }) => isRecent(at, now) && (kind === "group" ? needs.groups : needs.senderIds),
  );
  const seen = new Set<string>();
  const see = (kind: CreatedRecord["kind"], record: Existing): void => {
    if (missing.length === 0) return;
    seen.add(keyOf(kind, String(record["name"])));
    seen.add(idKeyOf(kind, String(record["id"])));
  };
  return {
    ...planner,
    takeSenderId: (record) => {
      see("sender-id", record);
      planner.takeSenderId(record);
    },
    takeGroup: (record) => {
      see("group", record);
      planner.takeGroup(record);
    },
    unlisted: () =>
      missing.filter(
        ({ kind, id, name }) => !seen.has(idKeyOf(kind, id)) && !seen.has(keyOf(kind, name)),
      ),
  };
}

interface Clock {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/**
 * Fetches the records that the last apply created and that are missing from the lists, which may lag behind, and
 * passes them to the planner.
 *
 * @returns the first response that leaves open whether a record exists
 */
export async function takeUnlisted(
  planner: Watching,
  service: Service,
  clock: Clock,
): Promise<Reply | undefined> {
  for (const one of planner.unlisted()) {
    const reply = await lookUp(one, service, clock);
    if (succeeded(reply)) {
      const record = reply.envelope!.data as Existing;
      // The name may belong to another record now.
      if (idText(record) !== one.id) continue;
      if (one.kind === "group") planner.takeGroup(record);
      else planner.takeSenderId(record);
    } else if (!isRefused(reply)) return reply;
  }
  return undefined;
}

async function lookUp(one: CreatedRecord, service: Service, clock: Clock): Promise<Reply> {
  for (;;) {
    const reply =
      one.kind === "group"
        ? await service["group.fetch"]({ path: { id: one.id } })
        : await service["sender-id.fetch"]({ path: { name: one.name } });
    if (!isRefused(reply) || clock.now() - one.at >= maxFetchLag) return reply;
    await clock.sleep(fetchInterval);
  }
}

function keyOf(kind: string, name: string): string {
  return `${kind} name ${name}`;
}

function idKeyOf(kind: string, id: string): string {
  return `${kind} id ${id}`;
}
