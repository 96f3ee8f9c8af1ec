import {
  isRefused,
  succeeded,
  type Reply,
  type Service,
  type ShownRecord,
} from "../../contract/service.ts";
import type { Calls } from "../calls.ts";
import { checkCommand, mayHaveSucceeded } from "../errors.ts";
import { askedFor, fetchRecord, recordOf, refuseAnother } from "../identity.ts";
import type { Lookups } from "../lookups.ts";
import { create } from "./creates.ts";
import { refuseDifferences, withRecord } from "./stored-record.ts";
import { sendsOnlyChanges, updateBody, wantedChanges, wantedFields } from "./update-body.ts";

const mayBeReset =
  "the update may have reset the sender ID of the group, which the service does not show; " +
  "set it again (group update --sender-id, or sender_id in a manifest)";

/**
 * Creates the write operations of groups. An update fetches the record first. Unless the service is known to keep the
 * fields that an update omits, the whole record is sent. The response is compared with it.
 */
export function createGroupWrites(
  calls: Calls,
  lookups: Lookups,
): Pick<Service, "group.create" | "group.update"> {
  const { base, note, behaviour } = calls.options;
  /** The ids of groups that this client created and has not updated. They have no sender ID that an update could lose. */
  const created = new Set<string>();
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
   * @param before the record as last shown
   * @param wanted fields that the response must show
   */
  const send = async (
    path: { readonly id: string },
    body: ShownRecord,
    before: ShownRecord,
    wanted: ShownRecord,
  ): Promise<Reply> => {
    const input = { path, body };
    const confirmed = await calls.call("group.update", input);
    if (!succeeded(confirmed)) return confirmed;
    const check = checkCommand("group.update", input, calls.options);
    const reply = await withRecord(calls, "group.fetch", path, confirmed, wanted, check);
    const stored = recordOf(reply);
    const { id, uuid } = before;
    refuseAnother(
      stored,
      { id, uuid },
      {},
      (difference) => `${base.host} returned a group ${difference}. ${mayHaveSucceeded}`,
    );
    const isNew = created.delete(String(id));
    if (!isNew && !("sender_id" in body)) await warnAboutSenderId(before, stored);
    refuseDifferences(base.host, wanted, stored);
    return reply;
  };

  const update: Service["group.update"] = async ({ path: given, body, expected }) => {
    const id = await lookups.groupKey(given.id, expected);
    if (typeof id !== "string") return id;
    const path = { id };
    const changes: Record<string, unknown> = { ...body };
    if (typeof body.sender_id === "string") {
      const senderId = await lookups.senderId(body.sender_id);
      if (typeof senderId !== "string") return senderId;
      changes["sender_id"] = senderId;
    }
    const identity = { ...askedFor(given), ...expected };
    const fetched = await fetchRecord(calls, "group.fetch", path, identity, "nothing was changed");
    if (!succeeded(fetched)) return fetched;
    const record = recordOf(fetched);
    if (sendsOnlyChanges(behaviour, changes)) {
      const reply = await send(path, changes, record, wantedChanges(changes));
      // The service may need more fields.
      const isTriedAgain = isRefused(reply) && behaviour.group_update_requires === undefined;
      if (!isTriedAgain) return reply;
    }
    const sent = updateBody(record, changes, behaviour);
    const wanted =
      behaviour.omitted_in_update === "kept" ? wantedChanges(sent) : wantedFields(record, changes);
    return send(path, sent, record, wanted);
  };

  return {
    "group.update": update,
    "group.create": async (input) => {
      const reply = await create(calls, "group.create", input);
      if (!succeeded(reply)) return reply;
      created.add(String(recordOf(reply)["id"]));
      return reply;
    },
  };
}
