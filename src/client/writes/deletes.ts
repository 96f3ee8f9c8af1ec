import { operations, type OperationName } from "../../contract/operations.ts";
import { requestOf } from "../../contract/request.ts";
import {
  isAbsence,
  succeeded,
  type RecordIdentity,
  type Reply,
  type ShownRecord,
} from "../../contract/service.ts";
import { reworded, SendctlError } from "../../core/error.ts";
import { jsonText } from "../../core/json-text.ts";
import { eachListed, listedPresence, presenceAfter } from "../lookups.ts";
import { checkCommand, type Calls } from "../calls.ts";
import { afterLoss } from "../perform.ts";
import { recordOf, withBefore } from "../check-record.ts";
import { isSameRecord, textOf, type RecordPath } from "../compare.ts";

import { fetchCurrent } from "./lag.ts";

type Delete = OperationName & `${string}.delete`;

const fetchOf = {
  "group.delete": "group.fetch",
  "sender-id.delete": "sender-id.fetch",
} as const satisfies Record<Delete, OperationName>;

/**
 * Deletes a record. It is fetched before, because the response to a delete does not show which record was deleted. After a
 * lost response the request is repeated only if a fetch still shows the same record.
 *
 * @throws SendctlError "unexpected_response" if the service returns another record than asked for; "outcome_unknown" among
 *   others
 */
export async function deleteRecord(
  calls: Calls,
  name: Delete,
  recordPath: RecordPath,
  expected?: RecordIdentity,
): Promise<Reply> {
  const path = { ...recordPath };
  const fetch = fetchOf[name];
  const fetched = await fetchCurrent(calls, fetch, recordPath, expected, "nothing was deleted");
  if (!succeeded(fetched)) {
    // A record that a list has shown may still exist, and a 404 in another form may be only that of its path.
    const isListed = (name === "group.delete" ? expected?.name : expected) !== undefined;
    if (isAbsence(fetched) === true && !isListed) return fetched;
    const wanted = { ...recordPath, ...expected };
    return (await confirmAbsence(calls, name, fetched, wanted, "fetch")) ?? fetched;
  }
  const before = recordOf(fetched);
  return withBefore(before, () => sendDelete(calls, name, path, before));
}

/** Sends the delete of a record until it is known whether it was deleted. */
async function sendDelete(
  calls: Calls,
  name: Delete,
  path: Readonly<Record<string, string>>,
  before: ShownRecord,
): Promise<Reply> {
  const { options } = calls;
  const fetch = fetchOf[name];
  const request = requestOf(name, { path });
  const check = checkCommand(name, { path }, options);
  const lookUp = async (unknown: SendctlError): Promise<Reply> => {
    try {
      return await calls.call(fetch, { path });
    } catch (error) {
      throw afterLoss(unknown, error);
    }
  };
  const reportDone = async (seen: string): Promise<Reply> => {
    await options.note(`no response confirmed the delete, but ${seen}`);
    const envelope = { status: true, message: operations[name].message, data: null };
    return { status: 200, text: JSON.stringify(envelope), envelope };
  };
  const presence = (reply: Reply) => presenceAfter(calls, fetch, reply, before);
  let unknown: SendctlError | undefined;
  for (let repeats = 0; ; repeats += 1) {
    const performed = await calls.perform(request, check);
    if (!("unknown" in performed)) {
      const reply = await calls.decode(name, performed.response, check);
      if (succeeded(reply)) return reply;
      const isGone = isAbsence(reply);
      if (unknown === undefined) {
        return (await confirmAbsence(calls, name, reply, before, "delete")) ?? reply;
      }
      // The service has no such record: an earlier attempt has deleted it, even if a copy still shows it.
      const found = await presence(await lookUp(unknown));
      if (found === "absent") return reportDone(noLongerThere);
      if (isGone === true && found !== "unknown") {
        return reportDone("the service found nothing more to delete; it still shows the record");
      }
      throw unknown;
    }
    ({ unknown } = performed);
    await calls.backOff(repeats + 1, check);
    const found = await presence(await lookUp(unknown));
    if (found === "absent") return reportDone(noLongerThere);
    if (found === "unknown") throw unknown;
    if (!isSameRecord(before, found.record)) throw replacedByAnother(name, unknown);
    if (repeats >= options.retries || (await hasNamesake(calls, name, before, unknown)))
      throw unknown;
  }
}

/** Returns whether another sender ID has the name of one, which a repeated delete could delete: or cannot tell. */
async function hasNamesake(
  calls: Calls,
  name: Delete,
  before: ShownRecord,
  unknown: SendctlError,
): Promise<boolean> {
  if (name === "group.delete") return false;
  let count = 0;
  try {
    const refusal = await eachListed(calls, "sender-id.list", (record) => {
      if (record["name"] === before["name"]) count += 1;
    });
    return refusal !== undefined || count > 1;
  } catch (error) {
    const failure = afterLoss(unknown, error);
    if (failure !== unknown) throw failure;
    return true;
  }
}

const noLongerThere = "the record no longer exists";

/**
 * Confirms that a record does not exist, after a 404 or 410. In the form of the service it is proof enough, unless the
 * list still shows the record; in another form, only the list is.
 *
 * @param request what the reply refuses
 * @returns the refusal of a list that would be the proof
 * @throws SendctlError "unexpected_response", or the error of that list
 */
async function confirmAbsence(
  calls: Calls,
  name: Delete,
  reply: Reply,
  wanted: { readonly id?: unknown; readonly name?: unknown },
  request: "fetch" | "delete",
): Promise<Reply | undefined> {
  const { status, trail } = reply;
  if (status !== 404 && status !== 410) return undefined;
  const isProof = isAbsence(reply) === true;
  const found = await listedPresence(calls, fetchOf[name], wanted).catch((error: unknown) => {
    if (isProof) return "absent" as const;
    throw error;
  });
  if (found === "absent") return undefined;
  const { host } = calls.options.base;
  if ("refusal" in found) {
    const { refusal } = found;
    if (isProof) return undefined;
    if (refusal.status !== 404 && refusal.status !== 410) return refusal;
    const message = `${host} responded to the ${request} and to the list with HTTP ${status}`;
    const details = { httpStatus: status, hint: "check the base URL", trail };
    throw new SendctlError("unexpected_response", message, details);
  }
  const noun = name === "group.delete" ? "group" : "sender ID";
  const shown = `${noun} ${jsonText(found.record["name"] ?? null)} (id ${textOf(found.record["id"])})`;
  const message = `${host} responded to the ${request} with HTTP ${status}, but its list still shows the ${shown}`;
  throw new SendctlError("unexpected_response", message, { httpStatus: status, trail });
}

function replacedByAnother(name: Delete, unknown: SendctlError): SendctlError {
  const key = operations[name].path.includes("{name}") ? "name" : "id";
  return reworded(
    unknown,
    `the response to the delete was lost, and the ${key} may belong to another record by now`,
  );
}
