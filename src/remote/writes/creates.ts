import type { OperationName } from "../../contract/operations.ts";
import { requestOf } from "../../contract/request.ts";
import { succeeded, type Reply, type ShownRecord } from "../../contract/service.ts";
import type { Calls } from "../calls.ts";
import { checkCommand } from "../errors.ts";
import { findCreated } from "./find-created.ts";
import { storedDifferences, storedDifferently } from "./stored.ts";

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
  const performed = await calls.perform(requestOf(name, input), checkCommand(name, { body: sent }));
  if ("unknown" in performed) {
    const { unknown, sentAt } = performed;
    const found = await findCreated(calls, name, sent, { unknown, sentAt });
    if (found === undefined) throw unknown;
    await options.note("the response was lost, but a lookup shows that the record was created");
    return found;
  }
  const reply = await calls.decode(name, performed.response);
  if (!succeeded(reply)) return reply;
  const record = reply.envelope!.data as ShownRecord;
  const differences = storedDifferences(sent, record);
  if (differences.length > 0) throw storedDifferently(options.base.host, differences, record);
  return reply;
}
