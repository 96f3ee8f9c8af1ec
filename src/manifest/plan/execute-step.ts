import type { CreateContext, GroupChanges, Reply, Service } from "../../contract/service.ts";
import { SendctlError } from "../../core/error.ts";
import { isRefusal } from "../../service/refusals.ts";
import { type RecordKind } from "../../contract/resources.ts";
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
} from "../manifest.ts";
import type { ChangingStep, Plan } from "./plan.ts";

/** How a request or a whole step ended. */
export interface Ending {
  /** A step that failed may have changed the record all the same: then it is unknown. */
  readonly result: "done" | "failed" | "unknown";
  /** The record that was created or changed, also if the step failed afterwards. */
  readonly record?: Existing | undefined;
  /** Why it failed; if it is done, the values that the service stored differently. */
  readonly error?: SendctlError | undefined;
  /** Whether the service has accepted the change, and may not have done it yet: HTTP 202. */
  readonly isAccepted?: boolean;
  /** Whether a part of a step that failed was certainly carried out. */
  readonly isIncomplete?: true;
  /** What is done although the step failed, as a clause for messages. */
  readonly note?: string | undefined;
}

/** What a step needs to be executed. */
export interface Executor {
  readonly service: Service;
  /** Yields to the event loop before a step. @throws SendctlError if the process is asked to end */
  readonly beforeStep?: () => Promise<void>;
  /** Returns whether a record existed when the plan was made. */
  readonly isListed: Plan["isListed"];
  /** Prints a warning. */
  readonly warn: (line: string) => Promise<void>;
  /** Whether an update that changed nothing fails, as in an undo (default: false). */
  readonly mustChange?: boolean;
  /** Called with the record of a create whose response was lost. */
  readonly found?: (kind: RecordKind, record: Existing) => Promise<void>;
}

type GroupStep = Extract<ChangingStep, { readonly kind: "group" }>;
type CreatingStep = Extract<ChangingStep, { readonly action: "create" | "replace" }>;
type SenderIdCreation = Extract<CreatingStep, { readonly kind: "sender-id" }>;
type Replacement = Extract<ChangingStep, { readonly action: "replace" }>;

/** Executes one step that changes something. */
export async function executeStep(step: ChangingStep, executor: Executor): Promise<Ending> {
  try {
    // An engine in this process never yields to the event loop, which delivers signals.
    await executor.beforeStep?.();
    if (step.kind === "group") return await executeGroupStep(step, executor);
    if (step.action === "replace") return await replaceSenderId(step, executor);
    if (step.action === "delete") return await deleteSenderId(step.existing, executor);
    return await createSenderId(step, executor);
  } catch (error) {
    return failure(error);
  }
}

/** Returns the ending of a step that threw an error. @throws any error but a SendctlError */
function failure(error: unknown): Ending {
  if (!(error instanceof SendctlError)) throw error;
  const { kind, record, details } = error;
  const { check, stored } = details;
  if (stored !== undefined && record !== undefined) return { result: "done", record, error };
  // Only a write that was sent has a check.
  const isUnknown = kind === "outcome_unknown" || check !== undefined;
  return { result: isUnknown ? "unknown" : "failed", error };
}

async function send(request: () => Promise<Reply>): Promise<Ending> {
  try {
    const reply = await request();
    const data = reply.envelope?.data;
    const isRecord = typeof data === "object" && data !== null;
    const record = isRecord ? (data as Existing) : undefined;
    return { result: "done", record, isAccepted: reply.status === 202 };
  } catch (error) {
    return failure(error);
  }
}

/** Sends a delete. A record that no longer exists counts as deleted. */
async function sendDelete(request: () => Promise<Reply>): Promise<Ending> {
  const ending = await send(request);
  const isAbsent = isRefusal(ending.error) && ending.error.kind === "not_found";
  return isAbsent ? { result: "done" } : ending;
}

/** Sends a create. It fails if the service returns a record that existed when the plan was made. */
async function sendCreate(
  step: CreatingStep,
  executor: Executor,
  request: (context: CreateContext) => Promise<Reply>,
): Promise<Ending> {
  // A service may restore the record that a replacement deleted, which is as good as a new one.
  const isRestored = (record: Existing): boolean =>
    step.action === "replace" && idText(record) === idText(step.existing);
  const existed = (record: Existing): boolean =>
    executor.isListed(step.kind, record) && !isRestored(record);
  return orFound(step, await send(() => request({ existed })), executor);
}

/**
 * Replaces the error of a create whose response was lost by the one record with that name that did
 * not exist when the plan was made; no other step creates one with that name. A sender ID must have
 * the purpose that was sent; the fields of a group are compared later.
 */
async function orFound(
  step: CreatingStep,
  ending: Ending,
  { isListed, warn, found: note }: Executor,
): Promise<Ending> {
  if (ending.error?.kind !== "outcome_unknown") return ending;
  const { found = [] } = ending.error.details;
  const created = found.filter((record) => !isListed(step.kind, record));
  const [record] = created;
  if (record === undefined || created.length > 1) return ending;
  const { desired } = step;
  if ("purpose" in desired && record["purpose"] !== desired.purpose) return ending;
  const name = nameOf(record);
  await warn(`the response to the create of "${name}" was lost; found it (id ${idText(record)})`);
  await note?.(step.kind, record);
  return { result: "done", record };
}

function createSenderId(step: SenderIdCreation, executor: Executor): Promise<Ending> {
  const { name, purpose } = step.desired;
  const create = executor.service["sender-id.create"];
  return sendCreate(step, executor, (context) => create({ body: { name, purpose }, ...context }));
}

/** Deletes a sender ID and creates it again with another purpose. */
async function replaceSenderId(step: Replacement, executor: Executor): Promise<Ending> {
  const { desired, existing } = step;
  const deletion = await deleteSenderId(existing, executor);
  if (deletion.result !== "done") {
    if (!mayHaveSucceeded(deletion)) return deletion;
    return { ...deletion, note: "the sender ID may be deleted and was not created again" };
  }
  const creation = await createSenderId(step, executor);
  const { result, error } = creation;
  const isRefused = isRefusal(error);
  if (result === "done") return creation;
  // The service returned an existing record, perhaps the deleted one with its old purpose.
  if (error?.kind === "conflict" && !isRefused) return creation;
  const partly = (note: string): Ending => ({ ...creation, isIncomplete: true, note });
  if (mayHaveSucceeded(creation)) {
    return partly("the sender ID was deleted and may not be created again");
  }
  // Only the new purpose can be the reason of a refusal, so the old one restores the sender ID.
  const isOfPurpose = isRefused && error?.kind !== "unavailable";
  const body = { name: desired.name, purpose: purposeOf(existing) };
  const create = executor.service["sender-id.create"];
  if (isOfPurpose && (await send(() => create({ body }))).result === "done") {
    return partly("the sender ID was deleted and created again with its old purpose");
  }
  return partly("the sender ID was deleted and not created again");
}

/** Returns whether a request may have been carried out although it failed. */
function mayHaveSucceeded({ result, error }: Ending): boolean {
  return result === "unknown" || error?.details.stored !== undefined;
}

/** Deletes the sender ID of the plan, not another of its name: the service is asked which it is. */
function deleteSenderId(existing: Existing, { service }: Executor): Promise<Ending> {
  const path = { name: pathName(existing) };
  const expected = { id: existing["id"] };
  return sendDelete(() => service["sender-id.delete"]({ path, expected }));
}

async function executeGroupStep(step: GroupStep, executor: Executor): Promise<Ending> {
  const { service } = executor;
  if (step.action === "delete") {
    const expected = step.existing;
    const path = { id: groupKey(expected) };
    return sendDelete(() => service["group.delete"]({ path, expected }));
  }
  const { desired } = step;
  const update = (expected: Existing, body: GroupChanges): Promise<Ending> =>
    send(() => service["group.update"]({ path: { id: groupKey(expected) }, body, expected }));
  if (step.action === "update") {
    const ending = await update(step.existing, updateBody(desired, step.changes));
    const isUnchanged =
      executor.mustChange && ending.result === "done" && ending.error !== undefined;
    return isUnchanged ? { result: "failed", error: ending.error } : ending;
  }
  const creation = await sendCreate(step, executor, (context) =>
    service["group.create"]({ body: createBody(desired), ...context }),
  );
  const { record } = creation;
  if (record === undefined) return creation;
  // A new group has no sender ID to remove.
  const { sender_id, ...settings } = desired;
  const wanted = sender_id === null ? settings : desired;
  // A service that stored other values than those of the create may accept them in an update.
  const body = updateBody(wanted, changesOf(desired, record));
  if (Object.keys(body).length === 0) return creation;
  // The response to a create may have a more precise time than is stored.
  const ending = await update({ ...record, created_at: undefined }, body);
  const isAccepted = [creation, ending].some((each) => each.isAccepted);
  if (ending.result === "done") return { ...ending, record, isAccepted };
  const id = idText(record);
  const title = id === undefined ? "" : ` (id ${id})`;
  const note = `the group was created${title} but is incomplete`;
  return { ...ending, isIncomplete: true, note, ...(id === undefined ? {} : { record }) };
}
