import { succeeded, type GroupChanges, type Reply, type Service } from "../../contract/service.ts";
import { SendctlError } from "../../core/error.ts";
import {
  type Existing,
  changesOf,
  createBody,
  groupKey,
  idText,
  nameOf,
  pathName,
  purposeOf,
  updateBody,
} from "./records.ts";
import type { GroupStep, Plan, SenderIdStep, Step } from "./plan.ts";

/** How a step ended, and its record. */
export type Ending =
  | { readonly outcome: "done"; readonly record: Existing | undefined }
  | {
      readonly outcome: "failed";
      readonly cause: Reply | SendctlError;
      /** What is done although the step failed, as a clause for messages. */
      readonly done?: string;
      /** The record that was created before the failure. */
      readonly record?: Existing;
      /** Whether the record was deleted to be replaced, and does not exist again. */
      readonly missing?: "yes" | "possibly";
    }
  | { readonly outcome: "not tried"; readonly why: string };

/** What a step needs of its surroundings. */
export interface Executor {
  readonly service: Service;
  /** Yields to the event loop before each step. @throws SendctlError if the process is asked to end */
  readonly rest?: () => Promise<void>;
  /** Returns whether a record existed when the plan was made. */
  readonly isListed: Plan["isListed"];
  /** Prints a warning. */
  readonly warn: (line: string) => Promise<void>;
}

/**
 * Executes one step that changes something.
 *
 * @param deletedIds ids of all sender IDs that the plan deletes
 */
export async function executeStep(
  step: Step,
  executor: Executor,
  deletedIds: ReadonlySet<string>,
): Promise<Ending> {
  try {
    // An engine in this process never yields to the event loop, which delivers signals.
    await executor.rest?.();
    if (step.kind === "group") return await executeGroupStep(step, executor);
    if (step.action === "replace") return await replaceSenderId(step, executor);
    if (step.action === "delete") {
      return endingOf(await deleteSenderId(step.existing, executor, deletedIds));
    }
    const { name, purpose } = step.desired;
    const sent = await createSenderId(name, purpose, executor);
    const result = await orFound(step, sent, executor);
    return existingInstead(step, result, executor) ?? endingOf(result);
  } catch (error) {
    if (error instanceof SendctlError) return { outcome: "failed", cause: error };
    throw error;
  }
}

/** A reply, or the error in its place. */
type Result = Reply | SendctlError;

async function resultOf(ask: () => Promise<Reply>): Promise<Result> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof SendctlError) return error;
    throw error;
  }
}

function isDone(result: Result): result is Reply {
  return !(result instanceof SendctlError) && succeeded(result);
}

function endingOf(result: Result): Ending {
  return isDone(result)
    ? { outcome: "done", record: recordOf(result) }
    : { outcome: "failed", cause: result };
}

function createSenderId(name: string, purpose: string, { service }: Executor): Promise<Result> {
  const create = service["sender-id.create"];
  return resultOf(() => create({ body: { name, purpose } }));
}

/** Deletes a sender ID and creates it again with another purpose. */
async function replaceSenderId(
  step: Extract<SenderIdStep, { readonly action: "replace" }>,
  executor: Executor,
): Promise<Ending> {
  const { desired, existing } = step;
  const { name, purpose } = desired;
  const deletion = await deleteSenderId(existing, executor);
  if (!isDone(deletion)) {
    if (!mayHaveSucceeded(deletion)) return endingOf(deletion);
    return missing("possibly", deletion, "the sender ID may be deleted and was not created again");
  }
  const created = await createSenderId(name, purpose, executor);
  const result = await orFound(step, created, executor);
  // A service may restore the deleted record, which is as good as a new one.
  const isRestored = isDone(result) && idText(recordOf(result) ?? {}) === idText(existing);
  if (isRestored) return endingOf(result);
  const other = existingInstead(step, result, executor);
  if (other !== undefined || createdBy(result) !== undefined) return other ?? endingOf(result);
  if (mayHaveSucceeded(result)) {
    return missing("possibly", result, "the sender ID was deleted and may not be created again");
  }
  // Only the new purpose can be the reason of a refusal, so the old one restores the sender ID.
  const isRefusal = !(result instanceof SendctlError) && result.status < 500;
  const old = purposeOf(existing);
  if (isRefusal && isDone(await createSenderId(name, old, executor))) {
    const done = "the sender ID was deleted and created again with its old purpose";
    return { outcome: "failed", cause: result, done };
  }
  return missing("yes", result, "the sender ID was deleted and not created again");
}

function missing(isMissing: "yes" | "possibly", cause: Result, done: string): Ending {
  return { outcome: "failed", cause, done, missing: isMissing };
}

/** Returns whether a request may have been carried out although it failed. */
function mayHaveSucceeded(result: Result): boolean {
  if (!(result instanceof SendctlError)) return false;
  const { kind, check } = result;
  return ["outcome_unknown", "unexpected_response"].includes(kind) || check !== undefined;
}

/**
 * Returns the ending of a create whose response is a record that existed before: nothing was created, and its values
 * are not those of the manifest.
 */
function existingInstead(
  { kind }: Step,
  result: Result,
  { isListed }: Executor,
): Ending | undefined {
  const record = createdBy(result);
  if (record === undefined || !isListed(kind, record)) return undefined;
  const noun = kind === "group" ? "group" : "sender ID";
  const [name, id] = [nameOf(record), idText(record)];
  const cause = new SendctlError(
    "conflict",
    `nothing was created, because the service returned the existing ${noun} "${name}" (id ${id})`,
    { hint: "use its name in the manifest, or delete it" },
  );
  return { outcome: "failed", cause };
}

/**
 * Deletes the sender ID of the plan and no other of the same name: the service is asked which one that is. A service that
 * ignores case may take the name for that of another one, which may only be deleted if the plan deletes it, too.
 *
 * @param deletedIds ids of all sender IDs that the plan deletes; their order does not matter
 */
async function deleteSenderId(
  existing: Existing,
  { service }: Executor,
  deletedIds: ReadonlySet<string> = new Set(),
): Promise<Result> {
  const path = { name: pathName(existing) };
  const deleteAs = ({ id }: Existing): Promise<Result> =>
    resultOf(() => deleted(() => service["sender-id.delete"]({ path, expected: { id } })));
  const result = await deleteAs(existing);
  const other = result instanceof SendctlError ? result.record : undefined;
  return other !== undefined && deletedIds.has(idText(other) ?? "") ? deleteAs(other) : result;
}

async function executeGroupStep(step: GroupStep, executor: Executor): Promise<Ending> {
  const { service } = executor;
  if (step.action === "delete") {
    const expected = step.existing;
    const path = { id: groupKey(expected) };
    return endingOf(await deleted(() => service["group.delete"]({ path, expected })));
  }
  const { desired } = step;
  const update = (expected: Existing, body: GroupChanges): Promise<Result> =>
    resultOf(() => service["group.update"]({ path: { id: groupKey(expected) }, body, expected }));
  if (step.action === "update") {
    return endingOf(await update(step.existing, updateBody(desired, step.changes) ?? {}));
  }
  const sent = await resultOf(() => service["group.create"]({ body: createBody(desired) }));
  const result = await orFound(step, sent, executor);
  const existing = existingInstead(step, result, executor);
  if (existing !== undefined) return existing;
  const record = createdBy(result);
  if (record === undefined) return endingOf(result);
  const sender = typeof desired.sender_id === "string" ? { sender_id: desired.sender_id } : {};
  const { sender_id: _, ...rest } = desired;
  // A service that stored other values than those of the create may accept them in an update.
  const body = updateBody({ ...rest, ...sender }, changesOf(desired, record));
  if (body === undefined) return endingOf(result);
  // The response to a create may have a more precise time than is stored.
  const updated = await update({ ...record, created_at: undefined }, body);
  if (isDone(updated)) return { outcome: "done", record };
  const id = idText(record);
  return id === undefined
    ? { outcome: "failed", cause: updated, done: "the group was created but is incomplete" }
    : {
        outcome: "failed",
        cause: updated,
        done: `the group was created (id ${id}) but is incomplete`,
        record,
      };
}

/**
 * Replaces the error of a create whose response was lost by the one record with that name that did not exist when the plan
 * was made; no other step creates one with that name. A sender ID must have the purpose that was sent; the fields of a
 * group are compared later.
 */
async function orFound(step: Step, result: Result, { isListed, warn }: Executor): Promise<Result> {
  if (!(result instanceof SendctlError) || result.kind !== "outcome_unknown") return result;
  const created = result.found?.filter((record) => !isListed(step.kind, record)) ?? [];
  const [record] = created;
  const isOther =
    step.kind === "sender-id" &&
    step.action !== "delete" &&
    record?.["purpose"] !== step.desired.purpose;
  if (record === undefined || created.length > 1 || isOther) return result;
  const name = nameOf(record);
  await warn(`the response to the create of "${name}" was lost; found it (id ${idText(record)})`);
  return { status: 200, text: "", envelope: { status: true, message: "", data: record } };
}

/** Returns the record that a create stored, perhaps with other values than it was sent. */
function createdBy(result: Result): Existing | undefined {
  if (result instanceof SendctlError)
    return result.stored === undefined ? undefined : result.record;
  return succeeded(result) ? recordOf(result) : undefined;
}

/** Sends a delete. A record that no longer exists counts as deleted. */
async function deleted(ask: () => Promise<Reply>): Promise<Reply> {
  const reply = await ask();
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
