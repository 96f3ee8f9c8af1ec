import { operations } from "../contract/operations.ts";
import { isAbsence, succeeded, type Reply, type ShownRecord } from "../contract/service.ts";
import { doneReply } from "../service/lines.ts";
import { isOfGateway } from "../service/refusals.ts";
import type { Calls } from "./calls.ts";
import { recordOf, textOf, type RecordPath } from "./check-record.ts";
import { eachListed } from "./lookups.ts";

/** What is known of a record after a fetch: the service shows it, has none, or said neither. */
type Presence = { readonly record: ShownRecord } | "absent" | "unknown";

/**
 * Returns what the reply to a fetch says of a record ("Absence" in the command-line contract). A 404 that is not in the
 * form of the service may be that of a gateway or of a missing route, and a refusal with a success status may have any
 * reason. For both, the list decides.
 *
 * @param wanted the name of a sender ID, or the id of a group
 */
export async function presenceAfter(
  calls: Calls,
  name: "group.fetch" | "sender-id.fetch",
  reply: Reply,
  wanted: { readonly id?: unknown; readonly name?: unknown },
): Promise<Presence> {
  if (succeeded(reply)) return { record: recordOf(reply) };
  const said = isAbsence(reply);
  if (said !== "perhaps") return said ? "absent" : "unknown";
  const listed = await listedPresence(calls, name, wanted);
  return typeof listed === "object" && "refusal" in listed ? "unknown" : listed;
}

/**
 * Returns the reply to a fetch; after a 404 or 410 of a gateway, which may not know the path, what the list says instead:
 * the record, the absence in the form of the service, or the refusal of the list.
 */
export async function orListed(
  calls: Calls,
  name: "group.fetch" | "sender-id.fetch",
  path: RecordPath,
  reply: Reply,
): Promise<Reply> {
  const { status, trail } = reply;
  if (!isOfGateway(reply) || (status !== 404 && status !== 410)) return reply;
  const found = await listedPresence(calls, name, path);
  const { message } = operations[name];
  if (found === "absent") return { ...reply, envelope: { status: false, message: "", data: null } };
  return "refusal" in found ? found.refusal : { ...doneReply(message, found.record), trail };
}

/** Returns whether the list shows a record, or why the list cannot be read. */
export async function listedPresence(
  calls: Calls,
  name: "group.fetch" | "sender-id.fetch",
  wanted: { readonly id?: unknown; readonly name?: unknown },
): Promise<{ readonly record: ShownRecord } | "absent" | { readonly refusal: Reply }> {
  const [list, field] =
    name === "group.fetch"
      ? (["group.list", "id"] as const)
      : (["sender-id.list", "name"] as const);
  let found: ShownRecord | undefined;
  const refusal = await eachListed(calls, list, (record) => {
    if (textOf(record[field]) === textOf(wanted[field])) found ??= record;
  });
  if (found !== undefined) return { record: found };
  return refusal === undefined ? "absent" : { refusal };
}
