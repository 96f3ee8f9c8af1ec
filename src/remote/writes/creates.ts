import type { OperationName } from "../../contract/operations.ts";
import { requestOf } from "../../contract/request.ts";
import { succeeded, type Reply, type ShownRecord } from "../../contract/service.ts";
import type { Calls } from "../calls.ts";
import { checkCommand } from "../errors.ts";
import { recordOf, textOf } from "../identity.ts";
import { withLookup } from "./report-lookup.ts";
import { storedDifferences, storedDifferently } from "./stored.ts";
import { withRecord } from "./with-record.ts";

/**
 * Creates a record. If the outcome is unknown, its name is looked up for the error; the create is never sent again.
 *
 * @throws SendctlError "outcome_unknown" with what the lookup found, "unexpected_response" if the service stored values
 *   other than those sent
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
  if ("unknown" in performed) throw await withLookup(calls, name, sent, performed.unknown);
  const confirmed = await calls.decode(name, performed.response);
  if (!succeeded(confirmed)) return confirmed;
  const id = textOf(recordOf(confirmed)["id"]);
  const [fetch, path] =
    name === "group.create"
      ? (["group.fetch", id === undefined ? undefined : { id }] as const)
      : (["sender-id.fetch", { name: String(sent["name"]) }] as const);
  const reply = await withRecord(calls, fetch, path, confirmed, sent, check);
  const record = recordOf(reply);
  const differences = storedDifferences(sent, record);
  if (differences.length > 0) throw storedDifferently(options.base.host, differences, record);
  return reply;
}
