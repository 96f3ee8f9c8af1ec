import { operations, type OperationName } from "../../contract/operations.ts";
import { requestOf } from "../../contract/request.ts";
import {
  isRefused,
  succeeded,
  type RecordIdentity,
  type Reply,
  type ShownRecord,
} from "../../contract/service.ts";
import { SendctlError } from "../../core/error.ts";
import { checkCommand, type Calls } from "../calls.ts";
import { afterLoss } from "../perform.ts";
import {
  fetchRecord,
  isSameRecord,
  recordOf,
  withBefore,
  type RecordPath,
} from "../check-record.ts";

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
  const fetched = await fetchRecord(calls, fetch, recordPath, expected, "nothing was deleted");
  if (!succeeded(fetched)) return fetched;
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
  const reportDone = async (): Promise<Reply> => {
    await options.note("no response confirmed the delete, but the record no longer exists");
    const envelope = { status: true, message: operations[name].message, data: null };
    return { status: 200, text: JSON.stringify(envelope), envelope };
  };
  let unknown: SendctlError | undefined;
  for (let repeats = 0; ; repeats += 1) {
    const performed = await calls.perform(request, check);
    if (!("unknown" in performed)) {
      const reply = await calls.decode(name, performed.response);
      if (unknown === undefined || succeeded(reply)) return reply;
      // A temporary failure does not show whether the earlier attempt succeeded.
      if (!isRefused(reply)) throw unknown;
      return isRefused(await lookUp(unknown)) ? reportDone() : reply;
    }
    ({ unknown } = performed);
    await calls.backOff(repeats + 1, check);
    const found = await lookUp(unknown);
    if (isRefused(found)) return reportDone();
    if (!succeeded(found)) throw unknown;
    if (!isSameRecord(before, recordOf(found))) throw replacedByAnother(name, unknown);
    if (repeats >= options.retries) throw unknown;
  }
}

function replacedByAnother(name: Delete, unknown: SendctlError): SendctlError {
  const { hint, httpStatus, check } = unknown;
  const key = operations[name].path.includes("{name}") ? "name" : "id";
  return new SendctlError(
    "outcome_unknown",
    `the response to the delete was lost, and the ${key} may belong to another record by now`,
    { hint, check, httpStatus },
  );
}
