import { checkLine, SendctlError, type Check } from "../../core/error.ts";
import { jsonText } from "../../core/json-text.ts";
import { succeeded, type Reply, type ShownRecord } from "../../contract/service.ts";
import type { Calls } from "../calls.ts";
import { mayHaveSucceeded } from "../errors.ts";
import { fetchRecord, type RecordPath } from "../identity.ts";

/**
 * Compares a record after a write with the values that were sent: specification, part 4, rule 2.
 *
 * @throws SendctlError "unexpected_response" with the fields that differ, and the record
 */
export function refuseDifferences(host: string, sent: ShownRecord, record: ShownRecord): void {
  const stored = Object.entries(sent).flatMap(([field, value]) => {
    const shown = record[field] ?? null;
    return jsonText(value) === jsonText(shown) ? [] : [{ field, sent: value, stored: shown }];
  });
  if (stored.length === 0) return;
  const texts = stored.map(
    (one) => `${one.field} was sent as ${jsonText(one.sent)}, stored as ${jsonText(one.stored)}`,
  );
  throw new SendctlError(
    "unexpected_response",
    `${host} stored different values: ${texts.join("; ")}`,
    { stored, record },
  );
}

/**
 * Returns the reply to a create or an update with the record as stored. A service may confirm it without the record, or
 * with its id alone; then the record is fetched.
 *
 * @param name the operation that fetches it @param path its path; undefined if the service did not return an id
 * @param wanted the fields that the record must show
 * @throws SendctlError "unexpected_response" if the record cannot be fetched, "cancelled" or "terminated"
 */
export async function withRecord(
  calls: Calls,
  name: "group.fetch" | "sender-id.fetch",
  path: RecordPath | undefined,
  confirmed: Reply,
  wanted: ShownRecord,
  check: Check,
): Promise<Reply> {
  const { data, message } = confirmed.envelope!;
  const shown = data as ShownRecord;
  const missing = Object.keys(wanted).find(
    (field) => wanted[field] !== null && shown[field] === undefined,
  );
  if (missing === undefined) return confirmed;
  const details = { hint: checkLine(check), check };
  const failed = (reason: string): SendctlError =>
    new SendctlError(
      "unexpected_response",
      `${calls.options.base.host} confirmed the write without \`data.${missing}\`, and ${reason}. ${mayHaveSucceeded}`,
      details,
    );
  if (path === undefined) throw failed("without `data.id`");
  const { id } = shown;
  const reply = await fetchRecord(calls, name, path, { id }).catch((error: unknown) => {
    if (!(error instanceof SendctlError)) throw error;
    const { kind } = error;
    if (kind === "cancelled" || kind === "terminated") {
      throw new SendctlError(kind, `Interrupted. ${mayHaveSucceeded}`, details);
    }
    throw failed(`a fetch failed: ${error.message}`);
  });
  if (!succeeded(reply)) throw failed(`a fetch was refused (HTTP ${reply.status})`);
  return { ...reply, envelope: { ...reply.envelope!, message } };
}
