import { succeeded, type GroupChanges, type Reply, type Service } from "../contract/service.ts";
import { SendctlError } from "../contract/error.ts";
import { changesOf, createBody, updateBody, type Existing } from "./group-changes.ts";
import { createLanes, type Lanes } from "./lanes.ts";
import type { GroupStep, SenderIdStep, Step } from "./plan.ts";
import { groupKey, idText, pathName, purposeOf } from "./record-keys.ts";

/** The outcome of a step. */
export type Outcome =
  | { readonly outcome: "done"; readonly step: Step; readonly record: Existing | undefined }
  | {
      readonly outcome: "failed";
      readonly step: Step;
      readonly cause: Reply | SendctlError;
      /** What was done before the failure, as a clause for messages. */
      readonly half: string | undefined;
      /** The record that was created before the failure, if any. */
      readonly created?: Existing | undefined;
    }
  | { readonly outcome: "not tried"; readonly step: Step; readonly why: string };

export interface Execution {
  readonly service: Service;
  /** Waits, in milliseconds. @throws SendctlError if the process is asked to end */
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Yields to the event loop before each step. @throws SendctlError if the process is asked to end */
  readonly rest?: () => Promise<void>;
  /** Receives each outcome immediately. */
  readonly report: (outcome: Outcome) => Promise<void>;
}

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
  const lanes = createLanes(execution.sleep);
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
    each: Lanes["each"] = lanes.each,
  ): Promise<void> => {
    await each(steps.filter(isIncluded), async (step) => {
      const why = stopped ?? blocked(step);
      await note(
        why === undefined
          ? await executeStep(step, execution, lanes, deletedIds)
          : { outcome: "not tried", step, why },
      );
    });
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
      noun === "sender-id" ? oneByOne : lanes.each,
    );
  }
  return outcomes;
}

const oneByOne: Lanes["each"] = async (items, work) => {
  for (const item of items) await work(item);
};

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
  return cause instanceof SendctlError
    ? !["unavailable", "outcome_unknown", "unexpected_response"].includes(cause.kind)
    : cause.status === 401 || cause.status === 403;
}

/** Records what has been done so far, in case the rest fails. */
type Note = (half: string, created?: Existing) => void;

async function executeStep(
  step: Step,
  { service, rest }: Execution,
  lanes: Lanes,
  deletedIds: ReadonlySet<string>,
): Promise<Outcome> {
  let half: string | undefined;
  let created: Existing | undefined;
  const note: Note = (done, record) => {
    half = done;
    created = record;
  };
  try {
    // An engine in this process never yields to the event loop, which delivers signals.
    await rest?.();
    const reply =
      step.kind === "sender-id"
        ? await executeSenderIdStep(step, service, lanes.send, note, deletedIds)
        : await executeGroupStep(step, service, lanes.send, note);
    return succeeded(reply)
      ? { outcome: "done", step, record: recordOf(reply) }
      : { outcome: "failed", step, cause: reply, half, created };
  } catch (error) {
    if (error instanceof SendctlError) {
      return { outcome: "failed", step, cause: error, half, created };
    }
    throw error;
  }
}

type Send = Lanes["send"];

async function executeSenderIdStep(
  step: SenderIdStep,
  service: Service,
  send: Send,
  note: Note,
  deletedIds: ReadonlySet<string>,
): Promise<Reply> {
  if (step.action === "delete") return deleteSenderId(step.existing, service, send, deletedIds);
  const { name, purpose } = step.desired;
  if (step.action === "replace") {
    const reply = await deleteSenderId(step.existing, service, send, new Set());
    if (!succeeded(reply)) return reply;
    note("the sender ID was deleted and not created again");
  }
  const create = (wanted: string): Promise<Reply> =>
    send("sender-id.create", () =>
      service["sender-id.create"]({ body: { name, purpose: wanted } }),
    );
  const reply = await create(purpose);
  const isRefused = !succeeded(reply) && reply.status < 500;
  if (step.action === "replace" && isRefused) {
    // Only the new purpose can be the reason, so the old one restores the sender ID.
    const again = await create(purposeOf(step.existing));
    if (succeeded(again)) note("the sender ID was deleted and created again with its old purpose");
  }
  if (step.action === "create" && isRefused && step.lookalike !== undefined) {
    note(`the service has a sender ID named "${step.lookalike}"; use that spelling`);
  }
  return reply;
}

/**
 * Deletes the sender ID of the plan and no other of the same name. A service that ignores case may take the name for
 * that of a sender ID that must not be deleted.
 *
 * @param deletedIds ids of all sender IDs that the plan deletes; their order does not matter
 */
async function deleteSenderId(
  existing: Existing,
  service: Service,
  send: Send,
  deletedIds: ReadonlySet<string>,
): Promise<Reply> {
  const path = { name: pathName(existing) };
  const id = idText(existing);
  const fetched = await send("sender-id.fetch", () => service["sender-id.fetch"]({ path }));
  if (!succeeded(fetched)) return isGone(fetched) ? alreadyDeleted : fetched;
  const shown = recordOf(fetched);
  const shownId = shown === undefined ? undefined : idText(shown);
  if (shownId !== id && (shownId === undefined || !deletedIds.has(shownId))) {
    throw new SendctlError(
      "unexpected_response",
      `the service returned another sender ID for "${path.name}" (id ${shownId ?? "unknown"}); nothing was deleted`,
    );
  }
  return deleted(send, () => service["sender-id.delete"]({ path, expected: shown }));
}

async function executeGroupStep(
  step: GroupStep,
  service: Service,
  send: Send,
  note: Note,
): Promise<Reply> {
  if (step.action === "delete") {
    const expected = step.existing;
    const path = { id: groupKey(expected) };
    return deleted(send, () => service["group.delete"]({ path, expected }));
  }
  const { desired } = step;
  const update = (expected: Existing, body: GroupChanges): Promise<Reply> =>
    send("group.update", () =>
      service["group.update"]({ path: { id: groupKey(expected) }, body, expected }),
    );
  if (step.action === "update") {
    return update(step.existing, updateBody(desired, step.changes) ?? {});
  }
  const created = await storing(() =>
    send("group.create", () => service["group.create"]({ body: createBody(desired) })),
  );
  if ("reply" in created && !succeeded(created.reply)) return created.reply;
  const record = "reply" in created ? recordOf(created.reply)! : created.record;
  const { differing = [] } = created;
  const sender = typeof desired.sender_id === "string" ? { sender_id: desired.sender_id } : {};
  const { sender_id: _, ...rest } = desired;
  const changes = changesOf(desired, record).filter(
    ({ member: field }) => !differing.includes(field),
  );
  const body = updateBody({ ...rest, ...sender }, changes);
  if (body !== undefined) {
    // Noted first without the id, because groupKey throws for an invalid one.
    note("the group was created but is incomplete");
    note(`the group was created (id ${groupKey(record)}) but is incomplete`, record);
    // The response to a create may have a more precise time than is stored.
    const updated = await update({ ...record, created_at: undefined }, body);
    if ("reply" in created || !succeeded(updated)) return updated;
  }
  if ("reply" in created) return created.reply;
  note("the group was created and is otherwise complete");
  throw created.error;
}

/** The result of a create whose record is known. */
type Created =
  | { readonly reply: Reply; readonly differing?: undefined }
  | {
      readonly error: SendctlError;
      readonly record: Existing;
      /** The fields that the service stored differently. */
      readonly differing: readonly string[];
    };

/** Sends a create. If the service stored the record differently, returns it, because an update still has to follow. */
async function storing(create: () => Promise<Reply>): Promise<Created> {
  try {
    return { reply: await create() };
  } catch (error) {
    if (!(error instanceof SendctlError)) throw error;
    const { stored, record } = error;
    if (stored === undefined || record === undefined) throw error;
    return { error, record, differing: stored.map(({ field }) => field) };
  }
}

/** Sends a delete. A record that no longer exists counts as deleted. */
async function deleted(send: Send, ask: () => Promise<Reply>): Promise<Reply> {
  const reply = await send("delete", ask);
  return isGone(reply) ? alreadyDeleted : reply;
}

function isGone({ status }: Reply): boolean {
  return status === 404 || status === 410;
}

const alreadyDeleted: Reply = {
  status: 200,
  text: "",
  envelope: { status: true, message: "", data: null },
};

function recordOf({ envelope }: Reply): Existing | undefined {
  const data = envelope?.data;
  return typeof data === "object" && data !== null ? (data as Existing) : undefined;
}
