import { isRefused, succeeded, type Reply, type Service } from "../contract/service.ts";
import type { Outcome } from "./execute.ts";
import type { Existing } from "./group-changes.ts";
import type { CreatedRecord, Memory } from "./memory.ts";
import type { Planner } from "./plan.ts";
import { idText } from "./record-keys.ts";

/** In milliseconds: after it every list is taken to show a record that was created. */
const maxListLag = 10 * 60_000;

/** In milliseconds: as long a record that was created may not be found by its id or name either. */
const maxFetchLag = 5000;

/** In milliseconds. */
const fetchInterval = 1000;

/** The newest are remembered, so that the state file stays small however many records are created. */
const maxRemembered = 10_000;

/** Returns a memory with the records that steps created. @param now milliseconds since 1970 */
export function withCreated(memory: Memory, outcomes: readonly Outcome[], now: number): Memory {
  const changed = new Set(outcomes.map(({ step }) => keyOf(step.kind, nameOfStep(step))));
  const kept = memory.created.filter(
    ({ kind, name, at }) => isRecent(at, now) && !changed.has(keyOf(kind, name)),
  );
  const created = outcomes.flatMap((outcome) => createdBy(outcome, now) ?? []);
  return { ...memory, created: [...kept, ...created].slice(-maxRemembered) };
}

/** A clock that was set back says nothing. */
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

/** The record of a create that was carried out, and not as it was wanted. */
function recordOfFailure({ cause, created }: Outcome & { readonly outcome: "failed" }) {
  return created ?? ("record" in cause ? cause.record : undefined);
}

function nameOfStep(step: Outcome["step"]): string {
  return step.action === "delete" ? String(step.existing["name"]) : step.desired.name;
}

/** A planner that knows which remembered records it was not given. */
export interface Watching extends Planner {
  readonly unlisted: () => readonly CreatedRecord[];
}

/** @param now milliseconds since 1970 */
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
 * Gives a planner the records that the last apply created and that the lists lack: a list may lag behind.
 *
 * @returns a response that says neither that a record exists nor that it does not
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
      // A name may belong to another record by now.
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
