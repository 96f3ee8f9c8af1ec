import type { RecordKind } from "../../contract/resources.ts";
import { operations } from "../../contract/operations.ts";
import { requestOf } from "../../contract/request.ts";
import {
  isAbsence,
  succeeded,
  type Expecting,
  type Reply,
  type ShownRecord,
} from "../../contract/service.ts";
import { reworded, type SendctlError } from "../../core/error.ts";
import { checkCommand, type Calls } from "../calls.ts";
import { isSameRecord, recordOf, type RecordPath } from "../compare.ts";
import { eachListed } from "../lists.ts";
import { afterLoss } from "../perform.ts";
import { find, presenceAfterLoss, refusedDelete } from "../reads.ts";

/**
 * Deletes a record. Fetches it first, because the response does not show which record was deleted.
 * After a lost response the request is repeated only if a fetch still shows the same record.
 *
 * @throws SendctlError "unexpected_response" if the service returns another record than asked for;
 *   "outcome_unknown" among others
 */
export async function deleteRecord(
  calls: Calls,
  kind: RecordKind,
  given: RecordPath,
  { expected, onRead }: Expecting,
): Promise<Reply> {
  const purpose = { expected, isCurrent: true, consequence: "nothing was deleted" } as const;
  const { path, reply } = await find(calls, kind, given, purpose);
  if (!succeeded(reply)) return reply;
  const before = recordOf(reply);
  onRead?.(before);
  return sendDelete(calls, kind, path, before);
}

/** Sends the delete of a record until it is known whether it was deleted. */
async function sendDelete(
  calls: Calls,
  kind: RecordKind,
  path: RecordPath,
  before: ShownRecord,
): Promise<Reply> {
  const { options } = calls;
  const name = `${kind}.delete` as const;
  const request = requestOf(name, { path: { ...path } });
  const check = checkCommand(name, { path: { ...path } }, options);
  const reportDone = async (seen: string): Promise<Reply> => {
    await options.note(`no response confirmed the delete, but ${seen}`);
    const envelope = { status: true, message: operations[name].message, data: null };
    return { status: 200, text: JSON.stringify(envelope), envelope };
  };
  let lost: SendctlError | undefined;
  for (let repeats = 0; ; repeats += 1) {
    const performed = await calls.perform(request, check);
    let isGone = false;
    if ("unknown" in performed) {
      lost = performed.unknown;
      await calls.backOff(repeats + 1, check);
    } else {
      const reply = await calls.decode(name, performed.response, check);
      if (succeeded(reply)) return reply;
      if (lost === undefined) return refusedDelete(calls, kind, path, reply);
      isGone = isAbsence(reply) === true;
    }
    const unknown = lost;
    const found = await presenceAfterLoss(calls, kind, path).catch((error: unknown) => {
      throw afterLoss(unknown, error);
    });
    if (found === "absent") return reportDone("the record no longer exists");
    if ("refusal" in found) throw unknown;
    // The service lacks the record: an earlier attempt deleted it, even if a copy shows it.
    if (isGone)
      return reportDone("the service found nothing more to delete; it still shows the record");
    if (!("unknown" in performed)) throw unknown;
    if (!isSameRecord(before, found.record)) throw replacedByAnother(kind, unknown);
    const isLast = repeats >= options.retries;
    if (isLast || (kind === "sender-id" && (await hasNamesake(calls, before, unknown))))
      throw unknown;
  }
}

/** Returns whether another sender ID may have the name of one, and be deleted by a repetition. */
async function hasNamesake(
  calls: Calls,
  { name }: ShownRecord,
  unknown: SendctlError,
): Promise<boolean> {
  let count = 0;
  try {
    const refusal = await eachListed(calls, "sender-id.list", (record) => {
      if (record["name"] === name) count += 1;
    });
    return refusal !== undefined || count > 1;
  } catch (error) {
    const failure = afterLoss(unknown, error);
    if (failure !== unknown) throw failure;
    return true;
  }
}

function replacedByAnother(kind: RecordKind, unknown: SendctlError): SendctlError {
  const key = kind === "group" ? "id" : "name";
  return reworded(
    unknown,
    `the response to the delete was lost, and the ${key} may belong to another record by now`,
  );
}
