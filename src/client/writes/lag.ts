import { groupFields, namesOf } from "../../contract/resources.ts";
import {
  isAbsence,
  succeeded,
  type RecordIdentity,
  type Reply,
  type ShownRecord,
} from "../../contract/service.ts";
import { isCertainAbsence } from "../../service/refusals.ts";
import { isStop, SendctlError } from "../../core/error.ts";
import { checkCommand, type Calls } from "../calls.ts";
import { fetchRecord, recordOf } from "../check-record.ts";
import { differencesOf, isSameValue, type RecordPath } from "../compare.ts";
import { interruptedAfterWrite } from "../perform.ts";

/** Milliseconds between two fetches of a record that is not up to date, and for all of them. */
const lagPause = 500;
const maxLag = 5000;

/**
 * Fetches a record for a decision: again while the service does not show what this user has just written, because a copy of
 * its database may lag behind.
 *
 * @param consequence of a difference, as a clause; undefined if no write follows
 * @throws SendctlError "differences" if it does so for 5 seconds; others as `fetchRecord`
 */
export async function fetchCurrent(
  calls: Calls,
  name: "group.fetch" | "sender-id.fetch",
  path: RecordPath,
  expected: RecordIdentity | undefined,
  consequence?: "nothing was changed" | "nothing was deleted",
): Promise<Reply> {
  const { recent, base } = calls.options;
  const kind = name === "group.fetch" ? "group" : "sender-id";
  for (let waited = 0; ; waited += lagPause) {
    // A record with another name than was expected may be the one from before an update, too.
    const fetched = await fetchRecord(calls, name, path, expected, consequence).catch(
      (error: unknown) => error as Partial<SendctlError>,
    );
    const isReply = "status" in fetched;
    const isAbsent = isReply && !succeeded(fetched) && isAbsence(fetched) !== false;
    const shown = isReply ? (succeeded(fetched) ? recordOf(fetched) : undefined) : fetched.record;
    const isCertain = isReply && isCertainAbsence(fetched);
    const isTold = (isAbsent && !isCertain) || shown !== undefined;
    const outdated = isTold ? (await recent?.())?.outdated(kind, path, shown) : undefined;
    if (outdated === undefined && isReply) return fetched;
    if (outdated === undefined) throw fetched;
    if (waited >= maxLag) {
      const message = `${base.host} ${outdated}; ${consequence ?? "nothing was changed"}`;
      throw new SendctlError("differences", message, { hint: "repeat the command in a minute" });
    }
    await calls.pause(lagPause, checkCommand(name, { path: { ...path } }, calls.options));
  }
}

/** Fields that an update can set. */
const settable = namesOf(groupFields, ({ update }) => update !== undefined);

/** Returns those fields of a record. */
function settingsOf(record: ShownRecord): ShownRecord {
  const shown = settable.filter((name) => record[name] !== undefined);
  return Object.fromEntries(shown.map((name) => [name, record[name]]));
}

/**
 * Returns the reply to an update, or to a fetch after it that shows what was sent: a service may read from a copy that is
 * not up to date. While every value is one from before the update, it is fetched again for up to 5 seconds.
 *
 * @param before the record as it was shown before the update
 * @returns also whether every value is still one from before
 */
export async function withoutLag(
  calls: Calls,
  path: { readonly id: string },
  reply: Reply,
  wanted: ShownRecord,
  before: ShownRecord,
): Promise<{ readonly reply: Reply; readonly isBehind: boolean }> {
  const { id, uuid } = before;
  const { message } = reply.envelope!;
  const check = checkCommand("group.update", { path }, calls.options);
  const replaced = (await calls.options.recent?.())?.replacedIn("group", before) ?? {};
  const isBehind = (): boolean =>
    Object.entries(settingsOf(recordOf(latest))).every(([field, value]) =>
      [before[field], ...(replaced[field] ?? [])].some((one) => isSameValue(field, one, value)),
    );
  const isDone = (): boolean => differencesOf(wanted, recordOf(latest)).length === 0;
  let latest = reply;
  for (let waited = 0; !isDone(); waited += lagPause) {
    const later = await fetchRecord(calls, "group.fetch", path, { id, uuid }).catch(
      (error: unknown) => {
        if (!(error instanceof SendctlError) || !isStop(error.kind)) return undefined;
        throw interruptedAfterWrite(error.kind, { check });
      },
    );
    if (later === undefined || !succeeded(later)) break;
    latest = { ...later, envelope: { ...later.envelope!, message } };
    if (isDone() || !isBehind() || reply.status === 202 || waited >= maxLag) break;
    await calls.pause(lagPause, check, true);
  }
  return { reply: latest, isBehind: isBehind() };
}
