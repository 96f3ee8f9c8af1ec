import { succeeded, type Reply, type Service } from "../contract/service.ts";
import { SendctlError } from "../contract/error.ts";
import { changesOf, createBody, updateBody, type Existing } from "./group-changes.ts";
import { createLanes, type Lanes } from "./lanes.ts";
import type { GroupStep, SenderIdStep, Step } from "./plan.ts";
import { groupKey, pathName, purposeOf } from "./record-keys.ts";

/** What became of a step. */
export type Outcome =
  | { readonly outcome: "done"; readonly step: Step; readonly record: Existing | undefined }
  | {
      readonly outcome: "failed";
      readonly step: Step;
      readonly cause: Reply | SendctlError;
      /** What was done before it failed. */
      readonly half: string | undefined;
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
const mostFailures = 3;

/**
 * Carries out the steps of a plan: sender IDs before the groups that use them, deletes last. A step that
 * fails stops those that depend on it; all others go on, unless the service can't be used any more.
 */
export async function execute(steps: readonly Step[], execution: Execution): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const lost = new Set<string>();
  let areGroupsDone = true;
  /** Why nothing more is tried. */
  let stopped: string | undefined;
  let failures = 0;
  const lanes = createLanes(execution.sleep);

  const note = async (outcome: Outcome): Promise<void> => {
    outcomes.push(outcome);
    const { step } = outcome;
    if (outcome.outcome === "done") failures = 0;
    else {
      if (step.kind === "group" && step.action !== "delete") areGroupsDone = false;
      if (step.kind === "sender-id" && step.action !== "delete") lost.add(step.desired.name);
    }
    if (outcome.outcome === "failed") {
      failures = isSilence(outcome.cause) ? failures + 1 : 0;
      stopped ??= isFatal(outcome.cause) ? "nothing more is tried after that" : undefined;
      if (failures >= mostFailures) stopped ??= `the service failed ${failures} times in a row`;
    }
    await execution.report(outcome);
  };

  const phase = async (
    belongs: (step: Step) => boolean,
    blocked: (step: Step) => string | undefined,
  ): Promise<void> => {
    await lanes.each(steps.filter(belongs), async (step) => {
      const why = stopped ?? blocked(step);
      await note(
        why === undefined
          ? await carryOut(step, execution, lanes)
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
  await phase(
    ({ kind, action }) => kind === "group" && action === "delete",
    () => undefined,
  );
  await phase(
    ({ kind, action }) => kind === "sender-id" && action === "delete",
    () => (areGroupsDone ? undefined : "groups that may use it were not brought in line"),
  );
  return outcomes;
}

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

/** The service may be gone, or has had enough. */
function isSilence(cause: Reply | SendctlError): boolean {
  return cause instanceof SendctlError
    ? ["unavailable", "outcome_unknown", "unexpected_response"].includes(cause.kind)
    : cause.status >= 500 || cause.status === 429;
}

/** Whatever is sent next fares no better. */
function isFatal(cause: Reply | SendctlError): boolean {
  return cause instanceof SendctlError
    ? !["unavailable", "outcome_unknown", "unexpected_response"].includes(cause.kind)
    : cause.status === 401 || cause.status === 403;
}

/** What was answered last, and what had been done before it. */
interface Carried {
  readonly reply: Reply;
  readonly half?: string;
}

async function carryOut(step: Step, { service, rest }: Execution, lanes: Lanes): Promise<Outcome> {
  let half: string | undefined;
  const send = (what: string, ask: () => Promise<Reply>): Promise<Reply> => lanes.send(what, ask);
  try {
    // An engine in this process would never let a signal be heard.
    await rest?.();
    const carried =
      step.kind === "sender-id"
        ? await carrySenderId(step, service, send, (done) => (half = done))
        : await carryGroup(step, service, send, (done) => (half = done));
    const { reply } = carried;
    return succeeded(reply)
      ? { outcome: "done", step, record: recordOf(reply) }
      : { outcome: "failed", step, cause: reply, half };
  } catch (error) {
    if (error instanceof SendctlError) return { outcome: "failed", step, cause: error, half };
    throw error;
  }
}

type Send = (what: string, ask: () => Promise<Reply>) => Promise<Reply>;

async function carrySenderId(
  step: SenderIdStep,
  service: Service,
  send: Send,
  note: (done: string) => void,
): Promise<Carried> {
  if (step.action === "delete") {
    const name = pathName(step.existing);
    return { reply: await deleted(send, () => service["sender-id.delete"]({ path: { name } })) };
  }
  const { name, purpose } = step.desired;
  if (step.action === "replace") {
    const reply = await deleted(send, () => service["sender-id.delete"]({ path: { name } }));
    if (!succeeded(reply)) return { reply };
    note("the old one is deleted, the new one is not created");
  }
  const create = (wanted: string): Promise<Reply> =>
    send("sender-id.create", () =>
      service["sender-id.create"]({ body: { name, purpose: wanted } }),
    );
  const reply = await create(purpose);
  const isRefused = reply.status >= 400 && reply.status < 500;
  if (step.action === "replace" && isRefused) {
    // Nothing but the purpose is new, so what was there is not to be lost to it.
    const again = await create(purposeOf(step.existing));
    if (succeeded(again)) note("the old one is deleted, and created again with its old purpose");
  }
  return { reply };
}

async function carryGroup(
  step: GroupStep,
  service: Service,
  send: Send,
  note: (done: string) => void,
): Promise<Carried> {
  if (step.action === "delete") {
    const id = groupKey(step.existing);
    return { reply: await deleted(send, () => service["group.delete"]({ path: { id } })) };
  }
  const { desired } = step;
  if (step.action === "update") {
    const body = updateBody(desired, step.changes) ?? {};
    const id = groupKey(step.existing);
    return {
      reply: await send("group.update", () => service["group.update"]({ path: { id }, body })),
    };
  }
  const created = await send("group.create", () =>
    service["group.create"]({ body: createBody(desired) }),
  );
  if (!succeeded(created)) return { reply: created };
  const record = recordOf(created)!;
  const sender = typeof desired.sender_id === "string" ? { sender_id: desired.sender_id } : {};
  const { sender_id: _, ...rest } = desired;
  const body = updateBody({ ...rest, ...sender }, changesOf(desired, record));
  if (body === undefined) return { reply: created };
  note("it is created, and not finished");
  const id = groupKey(record);
  note(`it is created, with id ${id}, and not finished`);
  return {
    reply: await send("group.update", () => service["group.update"]({ path: { id }, body })),
  };
}

/** What is gone already is as good as deleted. */
async function deleted(send: Send, ask: () => Promise<Reply>): Promise<Reply> {
  const reply = await send("delete", ask);
  if (reply.status !== 404) return reply;
  return { status: 200, text: "", envelope: { status: true, message: "", data: null } };
}

function recordOf({ envelope }: Reply): Existing | undefined {
  const data = envelope?.data;
  return typeof data === "object" && data !== null ? (data as Existing) : undefined;
}
