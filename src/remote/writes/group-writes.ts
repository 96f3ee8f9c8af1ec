import { requestOf } from "../../contract/request.ts";
import { groupFields, namesOf } from "../../contract/resources.ts";
import { succeeded, type Reply, type Service, type ShownRecord } from "../../contract/service.ts";
import type { Calls } from "../calls.ts";
import { create } from "./creates.ts";
import { storedDifferences, storedDifferently } from "./stored.ts";
import { checkCommand } from "../errors.ts";

/** Fields that an update can set and every response shows. */
const visible = namesOf(groupFields, ({ update, shown }) => update !== undefined && !shown);

const mayBeReset =
  "the update may have reset the sender ID of the group, which the service does not show; " +
  "set it with --sender-id";

export interface GroupWrites {
  readonly create: Service["group.create"];
  readonly update: Service["group.update"];
}

/**
 * Creates the write operations of groups. The specification does not say whether fields omitted from an update keep
 * their values, so the whole record is sent and the response compared with it.
 */
export function createGroupWrites(calls: Calls): GroupWrites {
  const { base, note } = calls.options;
  /** Groups created by this client, by id. They have no sender ID and are not fetched before an update. */
  const created = new Map<string, ShownRecord>();
  let hasWarned = false;

  /** Warns once, unless the service shows that the sender ID is unchanged. */
  const warnAboutSenderId = async (before: ShownRecord, after: ShownRecord): Promise<void> => {
    const isShown = "sender_id" in before && before["sender_id"] === after["sender_id"];
    if (hasWarned || isShown) return;
    hasWarned = true;
    await note(mayBeReset);
  };

  const update: Service["group.update"] = async ({ path, body, known }) => {
    const fresh = created.get(path.id);
    created.delete(path.id);
    let record = known ?? fresh;
    if (record === undefined) {
      const { reply } = await calls.call("group.fetch", { path });
      if (!succeeded(reply)) return reply;
      record = reply.envelope!.data as ShownRecord;
    }
    const input = { path, body: wholeBody(record, body) };
    const performed = await calls.perform(
      requestOf("group.update", input),
      checkCommand("group.update", input, calls.options),
    );
    if ("unknown" in performed) throw performed.unknown;
    const reply: Reply = await calls.decode("group.update", performed.response);
    if (!succeeded(reply)) return reply;
    const stored = reply.envelope!.data as ShownRecord;
    if (!("sender_id" in body) && fresh === undefined) await warnAboutSenderId(record, stored);
    const differences = storedDifferences(wantedFields(record, body), stored);
    if (differences.length > 0) throw storedDifferently(base.host, differences, stored);
    return reply;
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

/** Merges changes into the record. Unchanged null fields are omitted, because a service may refuse null. */
function wholeBody(record: ShownRecord, changes: object): ShownRecord {
  const sentFields = visible.filter((name) => (record[name] ?? null) !== null);
  return { ...Object.fromEntries(sentFields.map((name) => [name, record[name]])), ...changes };
}

/** Returns the fields that the record must show after the update. */
function wantedFields(record: ShownRecord, changes: ShownRecord): ShownRecord {
  const wanted = visible.map((name) => [name, (name in changes ? changes : record)[name] ?? null]);
  return Object.fromEntries(wanted) as ShownRecord;
}
