import { jsonText } from "../../core/json-text.ts";
import { isStop, SendctlError, type StoredDifference } from "../../core/error.ts";
import { groupFields, namesOf } from "../../contract/resources.ts";
import {
  succeeded,
  type RecordIdentity,
  type Reply,
  type ShownRecord,
} from "../../contract/service.ts";
import { checkCommand, type Calls, type OwnUpdate } from "../calls.ts";
import { differencesOf, fetchRecord, isSameValue, recordOf } from "../check-record.ts";
import { interruptedAfterWrite } from "../perform.ts";

/** Milliseconds between two fetches of a group that is not up to date, and for all of them. */
const lagPause = 500;
const maxLag = 5000;

/** Fields that an update can set. */
const settable = namesOf(groupFields, ({ update }) => update !== undefined);

/** Returns those fields of a record. */
function settingsOf(record: ShownRecord): ShownRecord {
  const shown = settable.filter((name) => record[name] !== undefined);
  return Object.fromEntries(shown.map((name) => [name, record[name]]));
}

/**
 * Fetches a group before its update, again if the service still shows what it was before this user's last updates: a copy
 * of its database may lag behind, and the update would write the old values back.
 *
 * @param changes that the update makes
 * @throws SendctlError "differences" if it does so for 5 seconds
 */
export async function fetchCurrent(
  calls: Calls,
  path: { readonly id: string },
  identity: RecordIdentity,
  changes: ShownRecord,
): Promise<Reply> {
  for (let waited = 0; ; waited += lagPause) {
    // A group with another name than a list showed may be one from before an update, too.
    const fetched = await fetchRecord(
      calls,
      "group.fetch",
      path,
      identity,
      "nothing was changed",
    ).catch((error: unknown) => error as Partial<SendctlError>);
    const isReply = "status" in fetched;
    if (isReply && !succeeded(fetched)) return fetched;
    const record = isReply ? recordOf(fetched) : (fetched.record ?? {});
    const stale = staleIn(record, (await calls.options.ownUpdates?.(record)) ?? [], changes);
    if (stale.length === 0 && isReply) return fetched;
    if (stale.length === 0) throw fetched;
    if (waited >= maxLag) throw laggingBehind(calls.options.base.host, stale);
    await calls.pause(lagPause, checkCommand("group.update", { path }, calls.options));
  }
}

/**
 * Returns the fields of a group that show a value which one of this user's last updates found or stored, and which is not
 * the one after the last of them. Somebody else may have set such a value again. That cannot be distinguished from a copy
 * that lags behind, so the update waits until the user's own ones are a minute old. What a raw request found is not known:
 * any other value than it sent may be an old one. A value that this update sets again itself is not compared, nor a sender
 * ID that it sets: the user may have replaced that, which its groups then lose.
 */
function staleIn(
  record: ShownRecord,
  updates: readonly OwnUpdate[],
  changes: ShownRecord,
): readonly StoredDifference[] {
  const last: ShownRecord = Object.assign({}, ...updates.map(({ after }) => after));
  return differencesOf(last, settingsOf(record)).filter(({ field, sent, stored }) => {
    const isOld = ({ before, after }: OwnUpdate): boolean =>
      before === undefined
        ? field in after
        : [before, after].some((shown) => isSameValue(field, shown[field], stored));
    const isSet = field === "sender_id" && field in changes;
    return !isSet && !isSameValue(field, changes[field], sent) && updates.some(isOld);
  });
}

function laggingBehind(host: string, stale: readonly StoredDifference[]): SendctlError {
  const texts = stale.map(
    ({ field, sent, stored }) => `${field} is ${jsonText(stored)}, not ${jsonText(sent)}`,
  );
  const message = `${host} still shows the values from before your last update: ${texts.join("; ")}; nothing was changed`;
  return new SendctlError("differences", message, { hint: "repeat the command in a minute" });
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
  const updates = (await calls.options.ownUpdates?.(before)) ?? [];
  const seen = [before, ...updates.flatMap((update) => [update.before ?? {}, update.after])];
  const isBehind = (): boolean =>
    Object.entries(settingsOf(recordOf(latest))).every(([field, value]) =>
      seen.some((shown) => isSameValue(field, shown[field], value)),
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
