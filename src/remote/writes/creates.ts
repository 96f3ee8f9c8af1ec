import type { OperationName } from "../../contract/operations.ts";
import { requestOf } from "../../contract/request.ts";
import { succeeded, type Reply, type ShownRecord } from "../../contract/service.ts";
import { SendctlError, type Lookup } from "../../contract/error.ts";
import type { Calls } from "../calls.ts";
import { checkCommand } from "../errors.ts";
import { recordOf, textOf, type RecordPath } from "../identity.ts";
import { findCreated } from "./find-created.ts";
import { storedDifferences, storedDifferently } from "./stored.ts";
import { withRecord } from "./with-record.ts";

/**
 * Creates a record. If the outcome is unknown, the record is looked up; the create is never sent again.
 *
 * @throws SendctlError "outcome_unknown" if the lookup is inconclusive, "unexpected_response" if the service
 *   stored values other than those sent
 */
export async function create(
  calls: Calls,
  name: OperationName & `${string}.create`,
  input: { readonly body: object },
): Promise<Reply> {
  const { options } = calls;
  const sent = input.body as ShownRecord;
  const check = checkCommand(name, { body: sent }, options);
  const performed = await calls.perform(requestOf(name, input), check);
  if ("unknown" in performed) {
    const { unknown, sentAt } = performed;
    const found = await findCreated(calls, name, sent, { unknown, sentAt });
    if (found === undefined) throw unknown;
    if ("lookup" in found) throw withLookup(unknown, found.lookup);
    await options.note("the response was lost, but a lookup shows that the record was created");
    return found.reply;
  }
  const confirmed = await calls.decode(name, performed.response);
  if (!succeeded(confirmed)) return confirmed;
  const reply =
    name === "group.create"
      ? await withRecord(calls, "group.fetch", pathOf(confirmed), confirmed, sent, check)
      : await withRecord(
          calls,
          "sender-id.fetch",
          { name: String(sent["name"]) },
          confirmed,
          sent,
          check,
        );
  const record = reply.envelope!.data as ShownRecord;
  const differences = storedDifferences(sent, record);
  if (differences.length > 0) throw storedDifferently(options.base.host, differences, record);
  return reply;
}

/** Returns the path of a created group; undefined if its id is not shown. */
function pathOf(confirmed: Reply): RecordPath | undefined {
  const id = textOf(recordOf(confirmed)["id"]);
  return id === undefined ? undefined : { id };
}

/** Returns the error with what a lookup showed. */
function withLookup({ kind, message, hint, httpStatus, check }: SendctlError, lookup: Lookup) {
  return new SendctlError(kind, `${message}; ${lookup.message}`, {
    hint,
    check,
    lookup,
    ...(httpStatus === undefined ? {} : { httpStatus }),
  });
}
