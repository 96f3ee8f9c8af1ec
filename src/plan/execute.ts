import { succeeded, type GroupChanges, type Reply, type Service } from "../contract/service.ts";
import { SendctlError } from "../contract/error.ts";
import { changesOf, createBody, updateBody, type Existing } from "./group-changes.ts";
import { createLanes, type Lanes } from "./lanes.ts";
import type { GroupStep, SenderIdStep, Step } from "./plan.ts";
import { groupKey, idText, pathName, purposeOf } from "./record-keys.ts";

/** What became of a step. */
export type Outcome =
  | { readonly outcome: "done"; readonly step: Step; readonly record: Existing | undefined }
  | {
      readonly outcome: "failed";
      readonly step: Step;
      readonly cause: Reply | SendctlError;
      /** What was done before it failed. */
      readonly half: string | undefined;
      /** The record that it created before that, if any. */
      readonly created?: Existing | undefined;
    }
  | { readonly outcome: "not tried"; readonly step: Step; readonly why: string };

export interface Execution {
  readonly service: Service;
  /** Fulfilled after so many milliseconds. @throws SendctlError when the process is asked to end */
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Fulfilled at once, before each step. @throws SendctlError when the process is asked to end */
  readonly rest?: () => Promise<void>;
  /** Given each outcome as it comes. */
  readonly report: (outcome: Outcome) => Promise<void>;
}

/** A service that fails so many times in a row is not asked for more. */
const maxFailures = 3;

/**
 * Carries out the steps of a plan: sender IDs before the groups that use them, deletes last. A step that
 * fails stops those that depend on it; all others go on, unless the service can't be used any more.
 */
export async function execute(steps: readonly Step[], execution: Execution): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const lost = new Set<string>();
  let hasFailed = false;
  /** Why nothing more is tried. */
  let stopped: string | undefined;
  let failures = 0;
  const lanes = createLanes(execution.sleep);
  const doomed = new Set(
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
      if (step.kind === "sender-id" && step.action !== "delete") lost.add(step.desired.name);
    }
    if (outcome.outcome === "failed") {
      failures = isSilence(outcome.cause) ? failures + 1 : 0;
      stopped ??= isFatal(outcome.cause) ? "nothing more is tried after that" : undefined;
      if (failures >= maxFailures) stopped ??= `the service failed ${failures} times in a row`;
    }
    await execution.report(outcome);
  };

  const phase = async (
    belongs: (step: Step) => boolean,
    blocked: (step: Step) => string | undefined,
    each: Lanes["each"] = lanes.each,
  ): Promise<void> => {
    await each(steps.filter(belongs), async (step) => {
      const why = stopped ?? blocked(step);
      await note(
        why === undefined
          ? await carryOut(step, execution, lanes, doomed)
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
    (step) => missingSenderId(step as GroupStep, lost),
  );
  // What is to be deleted may be all that there is of a record that could not be created under another name; and
  // a group that was not changed or deleted may still use the sender ID.
  for (const noun of ["group", "sender-id"]) {
    const why = hasFailed ? "other changes failed" : undefined;
    await phase(
      ({ kind, action }) => kind === noun && action === "delete",
      () => why,
      // Between the look at a name and its delete, no other delete may change what the name means.
      noun === "sender-id" ? oneByOne : lanes.each,
    );
  }
  return outcomes;
}

const oneByOne: Lanes["each"] = async (items, work) => {
  for (const item of items) await work(item);
};

/** What comes before the deletes. */
function isChange({ action }: Step): boolean {
  return action !== "keep" && action !== "delete";
}

function missingSenderId(step: GroupStep, lost: ReadonlySet<string>): string | undefined {
  if (step.action === "delete") return undefined;
  const { sender_id } = step.desired;
  return typeof sender_id === "string" && lost.has(sender_id)
    ? `its sender ID ${sender_id} was not brought in line`
    : undefined;
}

/** The service may be gone, or has had enough. One that stores values differently responds. */
function isSilence(cause: Reply | SendctlError): boolean {
  return cause instanceof SendctlError
    ? cause.stored === undefined &&
        ["unavailable", "outcome_unknown", "unexpected_response"].includes(cause.kind)
    : cause.status >= 500 || cause.status === 429;
}

/** Whatever is sent next fares no better. */
function isFatal(cause: Reply | SendctlError): boolean {
  return cause instanceof SendctlError
    ? !["unavailable", "outcome_unknown", "unexpected_response"].includes(cause.kind)
    : cause.status === 401 || cause.status === 403;
}

/** Notes what has been done so far, in case the rest fails. */
type Note = (half: string, created?: Existing) => void;

async function carryOut(
  step: Step,
  { service, rest }: Execution,
  lanes: Lanes,
  doomed: ReadonlySet<string>,
): Promise<Outcome> {
  let half: string | undefined;
  let created: Existing | undefined;
  const note: Note = (done, record) => {
    half = done;
    created = record;
  };
  try {
    // An engine in this process would never let a signal be heard.
    await rest?.();
    const reply =
      step.kind === "sender-id"
        ? await carrySenderId(step, service, lanes.send, note, doomed)
        : await carryGroup(step, service, lanes.send, note);
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

async function carrySenderId(
  step: SenderIdStep,
  service: Service,
  send: Send,
  note: Note,
  doomed: ReadonlySet<string>,
): Promise<Reply> {
  if (step.action === "delete") return deleteSenderId(step.existing, service, send, doomed);
  const { name, purpose } = step.desired;
  if (step.action === "replace") {
    const reply = await deleteSenderId(step.existing, service, send, new Set());
    if (!succeeded(reply)) return reply;
    note("the old one is deleted, the new one is not created");
  }
  const create = (wanted: string): Promise<Reply> =>
    send("sender-id.create", () =>
      service["sender-id.create"]({ body: { name, purpose: wanted } }),
    );
  const reply = await create(purpose);
  const isRefused = !succeeded(reply) && reply.status < 500;
  if (step.action === "replace" && isRefused) {
    // Only the purpose is new, so the sender ID is not lost to it.
    const again = await create(purposeOf(step.existing));
    if (succeeded(again)) note("the old one is deleted, and created again with its old purpose");
  }
  if (step.action === "create" && isRefused && step.lookalike !== undefined) {
    note(`the service has a sender ID called "${step.lookalike}": name it so`);
  }
  return reply;
}

/**
 * Deletes the sender ID that the plan has seen, and not another of its name. To a service that compares names
 * without case, its name may mean one that stays.
 *
 * @param doomed ids of all sender IDs that are to be deleted: of those it does not matter which comes first
 */
async function deleteSenderId(
  existing: Existing,
  service: Service,
  send: Send,
  doomed: ReadonlySet<string>,
): Promise<Reply> {
  const path = { name: pathName(existing) };
  const id = idText(existing);
  const fetched = await send("sender-id.fetch", () => service["sender-id.fetch"]({ path }));
  if (!succeeded(fetched)) return isGone(fetched) ? alreadyDeleted : fetched;
  const shown = recordOf(fetched);
  const shownId = shown === undefined ? undefined : idText(shown);
  if (shownId !== id && (shownId === undefined || !doomed.has(shownId))) {
    throw new SendctlError(
      "unexpected_response",
      `the service shows another sender ID for the name "${path.name}", with id ${shownId ?? "unknown"}; nothing was deleted`,
    );
  }
  return deleted(send, () =>
    service["sender-id.delete"]({
      path,
      ...(shownId === undefined ? {} : { expected: { id: shown!["id"] } }),
    }),
  );
}

async function carryGroup(
  step: GroupStep,
  service: Service,
  send: Send,
  note: Note,
): Promise<Reply> {
  if (step.action === "delete") {
    const id = groupKey(step.existing);
    return deleted(send, () => service["group.delete"]({ path: { id } }));
  }
  const { desired } = step;
  const update = (known: Existing, body: GroupChanges): Promise<Reply> =>
    send("group.update", () =>
      service["group.update"]({ path: { id: groupKey(known) }, body, known }),
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
  const changes = changesOf(desired, record).filter(({ member }) => !differing.includes(member));
  const body = updateBody({ ...rest, ...sender }, changes);
  if (body !== undefined) {
    note("it is created, and not finished");
    note(`it is created, with id ${groupKey(record)}, and not finished`, record);
    // A group that was just created has no sender ID to lose.
    const updated = await update({ ...record, sender_id: undefined }, body);
    if ("reply" in created || !succeeded(updated)) return updated;
  }
  if ("reply" in created) return created.reply;
  note("it is created, and nothing else is missing");
  throw created.error;
}

/** What became of a create whose record is known. */
type Created =
  | { readonly reply: Reply; readonly differing?: undefined }
  | {
      readonly error: SendctlError;
      readonly record: Existing;
      /** The fields that the service stored differently. */
      readonly differing: readonly string[];
    };

/** Goes on with a record that the service stored differently: the rest of it is still to be sent. */
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

/** Sends a delete. A record that does not exist any more counts as deleted. */
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
