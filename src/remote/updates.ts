import { requestOf } from "../contract/request.ts";
import { groupFields, namesOf } from "../contract/resources.ts";
import { succeeded, type Reply, type Service, type ShownRecord } from "../contract/service.ts";
import type { Calls } from "./calls.ts";
import { storedDifferences, storedDifferently } from "./stored.ts";
import { checkCommand } from "./errors.ts";

const updated = namesOf(groupFields, ({ update }) => update !== undefined);
const visible = updated.filter((name) => !("shown" in groupFields[name]));

const mayBeReset =
  "the update may have reset the sender ID of the group, which the service does not show; " +
  "set it with --sender-id";

/**
 * Returns the update of groups. Whether fields that are left out keep their values is not specified, so the
 * whole record is sent, and the response compared with it.
 */
export function createUpdate(calls: Calls): Service["group.update"] {
  const { base, note } = calls.options;
  let isWarned = false;

  /** Where a service shows the field after all, it is known. */
  const warnOfSenderId = async (before: ShownRecord, after: ShownRecord): Promise<void> => {
    const isShown = "sender_id" in before && before["sender_id"] === after["sender_id"];
    if (isWarned || isShown) return;
    isWarned = true;
    await note(mayBeReset);
  };

  return async ({ path, body, known }) => {
    let record = known;
    if (record === undefined) {
      const { reply } = await calls.call("group.fetch", { path });
      if (!succeeded(reply)) return reply;
      record = reply.envelope!.data as ShownRecord;
    }
    const input = { path, body: wholeBody(record, body) };
    const performed = await calls.perform(
      requestOf("group.update", input),
      checkCommand("group.update", input),
    );
    if ("unknown" in performed) throw performed.unknown;
    const reply: Reply = await calls.decode("group.update", performed.answer);
    if (!succeeded(reply)) return reply;
    const stored = reply.envelope!.data as ShownRecord;
    if (!("sender_id" in body)) await warnOfSenderId(record, stored);
    const differences = storedDifferences(wantedFields(record, body), stored);
    if (differences.length > 0) throw storedDifferently(base.host, differences, stored);
    return reply;
  };
}

/** The changes over what the record shows; what shows null and stays so is left out, as null may be refused. */
function wholeBody(record: ShownRecord, changes: ShownRecord): ShownRecord {
  const fields = updated.flatMap((name) => {
    if (name in changes) return [[name, changes[name]] as const];
    const isKept = (visible as readonly string[]).includes(name) && (record[name] ?? null) !== null;
    return isKept ? [[name, record[name]] as const] : [];
  });
  return Object.fromEntries(fields);
}

/** What the record has to show after the update. */
function wantedFields(record: ShownRecord, changes: ShownRecord): ShownRecord {
  const wanted = visible.map((name) => [name, (name in changes ? changes : record)[name] ?? null]);
  return Object.fromEntries(wanted) as ShownRecord;
}
