import { requestOf } from "../../contract/request.ts";
import {
  isRefused,
  succeeded,
  type Reply,
  type Service,
  type ShownRecord,
} from "../../contract/service.ts";
import type { Calls } from "../calls.ts";
import { checkCommand } from "../errors.ts";
import type { GroupPath, Lookups } from "../lookups.ts";
import { create } from "./creates.ts";
import { storedDifferences, storedDifferently } from "./stored.ts";
import { withRecord } from "./with-record.ts";
import { sendsOnlyChanges, updateBody, wantedChanges, wantedFields } from "./update-body.ts";

const mayBeReset =
  "the update may have reset the sender ID of the group, which the service does not show; " +
  "set it again (group update --sender-id, or sender_id in a manifest)";

export interface GroupWrites {
  readonly create: Service["group.create"];
  readonly update: Service["group.update"];
}

/**
 * Creates the write operations of groups. Unless the service is known to keep the fields that an update omits, the whole
 * record is sent and the response compared with it.
 */
export function createGroupWrites(calls: Calls, lookups: Lookups): GroupWrites {
  const { base, note, behaviour } = calls.options;
  /** Groups created by this client, by id. They have no sender ID and are not fetched before an update. */
  const created = new Map<string, ShownRecord>();
  let hasWarned = false;

  /** Warns once, unless the service shows that the sender ID is unchanged. */
  const warnAboutSenderId = async (before: ShownRecord, after: ShownRecord): Promise<void> => {
    const isShown = "sender_id" in before && before["sender_id"] === after["sender_id"];
    if (hasWarned || isShown || behaviour.omitted_in_update === "kept") return;
    hasWarned = true;
    await note(mayBeReset);
  };

  /**
   * Sends an update, and compares the response.
   *
   * @param wanted fields that it must show
   * @param before the record whose sender ID the update may reset
   */
  const send = async (
    path: GroupPath,
    body: ShownRecord,
    wanted: ShownRecord,
    before?: ShownRecord,
  ): Promise<Reply> => {
    const input = { path, body };
    const check = checkCommand("group.update", input, calls.options);
    const performed = await calls.perform(requestOf("group.update", input), check);
    if ("unknown" in performed) throw performed.unknown;
    const confirmed: Reply = await calls.decode("group.update", performed.response);
    if (!succeeded(confirmed)) return confirmed;
    const reply = await withRecord(calls, "group.fetch", path.id, confirmed, wanted, check);
    const stored = reply.envelope!.data as ShownRecord;
    if (before !== undefined) await warnAboutSenderId(before, stored);
    const differences = storedDifferences(wanted, stored);
    if (differences.length > 0) throw storedDifferently(base.host, differences, stored);
    return reply;
  };

  const update: Service["group.update"] = async ({ path: given, body, known }) => {
    const fresh = created.get(given.id);
    created.delete(given.id);
    const path = await lookups.groupPath(given, known ?? fresh);
    if ("refusal" in path) return path.refusal;
    const changes: Record<string, unknown> = { ...body };
    if (typeof body.sender_id === "string") {
      const senderId = await lookups.senderId(body.sender_id);
      if ("refusal" in senderId) return senderId.refusal;
      changes["sender_id"] = senderId.text;
    }
    if (sendsOnlyChanges(behaviour, changes)) {
      const reply = await send(path, changes, wantedChanges(changes));
      // The service may need more fields.
      const isTriedAgain = isRefused(reply) && behaviour.group_update_requires === undefined;
      if (!isTriedAgain) return reply;
    }
    let record = known ?? fresh;
    if (record === undefined) {
      const { reply } = await calls.call("group.fetch", { path });
      if (!succeeded(reply)) return reply;
      record = reply.envelope!.data as ShownRecord;
    }
    const sent = updateBody(record, changes, behaviour);
    const wanted =
      behaviour.omitted_in_update === "kept" ? wantedChanges(sent) : wantedFields(record, changes);
    const mayReset = !("sender_id" in changes) && fresh === undefined;
    return send(path, sent, wanted, mayReset ? record : undefined);
  };

  return {
    update,
    create: async (input) => {
      const reply = await create(calls, "group.create", input);
      if (!succeeded(reply)) return reply;
      const record = reply.envelope!.data as ShownRecord;
      created.set(String(record["id"]), record);
      return reply;
    },
  };
}
