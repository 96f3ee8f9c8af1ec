import { succeeded, type Reply, type ShownRecord } from "../../contract/service.ts";
import { settableFields, type RecordKind } from "../../contract/resources.ts";
import { isStop, SendctlError, type Check } from "../../core/error.ts";
import type { Calls } from "../calls.ts";
import { differencesOf, isSameValue, recordOf, type RecordPath } from "../compare.ts";
import { interruptedAfterWrite, mayHaveSucceeded } from "../perform.ts";
import { fetchWritten, lagPause, maxLag } from "../reads.ts";

/** A create or an update that the service has confirmed. */
interface Confirmed {
  readonly kind: RecordKind;
  /** Where the record is fetched; undefined if the service did not return an id. */
  readonly path: RecordPath | undefined;
  /** The reply that confirms it. */
  readonly reply: Reply;
  /** The fields that the record must show. */
  readonly wanted: ShownRecord;
  readonly check: Check;
  /** For an update: the group as it was shown before. */
  readonly before?: ShownRecord;
}

/**
 * Returns the reply to a create or an update with the record as stored. Fetches it if the response
 * lacks it or some of its fields, or if an update shows other values: again for up to 5 seconds
 * while all are values from before it, because a replica of the database may lag behind.
 *
 * @returns also whether every value is still one from before an update
 * @throws SendctlError "unexpected_response" if no record can be fetched, "cancelled", "terminated"
 */
export async function confirmedRecord(calls: Calls, write: Confirmed) {
  const { options } = calls;
  const { kind, path, reply: confirmed, wanted, check, before } = write;
  const { status, envelope } = confirmed;
  const shown = recordOf(confirmed);
  const hiddenIn = (record: ShownRecord): readonly string[] =>
    Object.keys(wanted).filter((field) => wanted[field] !== null && record[field] === undefined);
  const [missing] = hiddenIn(shown);
  // An apply remembers what it created, even if it is not shown yet.
  const details = { check, ...(path !== undefined && { record: shown }) };
  const failed = (reason: string): SendctlError =>
    new SendctlError(
      "unexpected_response",
      `${options.base.host} confirmed the write without \`data.${missing}\`, and ${reason}. ${mayHaveSucceeded}`,
      details,
    );
  const replaced = before && ((await options.recent?.())?.replacedIn("group", before) ?? {});
  const isBehind = (record: ShownRecord): boolean =>
    Object.entries(settingsOf(record)).every(([field, value]) =>
      [before?.[field], ...(replaced?.[field] ?? [])].some((one) => isSameValue(field, one, value)),
    );
  const { id, uuid } = before ?? { id: shown["id"] };
  let latest = confirmed;
  for (let waited = 0; ; waited += lagPause) {
    const record = recordOf(latest);
    const isDifferent = before !== undefined && differencesOf(wanted, record).length > 0;
    if (hiddenIn(record).length === 0 && !isDifferent) break;
    if (latest !== confirmed) {
      if (!isDifferent || !isBehind(record) || status === 202 || waited > maxLag) break;
      await calls.pause(lagPause, check, true);
    }
    if (path === undefined) throw failed("without `data.id`");
    const fetched = await fetchWritten(calls, kind, path, { id, uuid }).catch((error: unknown) => {
      if (!(error instanceof SendctlError)) throw error;
      if (isStop(error.kind)) throw interruptedAfterWrite(error.kind, details);
      return error;
    });
    const isShown = !(fetched instanceof SendctlError) && succeeded(fetched);
    if (!isShown && hiddenIn(record).length === 0) break;
    if (fetched instanceof SendctlError) throw failed(`a fetch failed: ${fetched.message}`);
    if (!isShown) throw failed(`a fetch was refused (HTTP ${fetched.status})`);
    latest = { ...fetched, status, envelope: { ...fetched.envelope!, message: envelope!.message } };
  }
  const hidden = hiddenIn(recordOf(latest));
  if (hidden.length > 0) {
    await options.note(`the service does not show ${hidden.join(", ")}: not compared`);
  }
  return { reply: latest, isBehind: isBehind(recordOf(latest)) };
}

/** Returns the fields of a record that an update can set. */
function settingsOf(record: ShownRecord): ShownRecord {
  const shown = settableFields.filter((name) => record[name] !== undefined);
  return Object.fromEntries(shown.map((name) => [name, record[name]]));
}
