import type { Capabilities } from "../../command/capabilities.ts";
import { SendctlError } from "../../core/error.ts";
import { succeeded, type Reply, type Service, type ShownRecord } from "../../contract/service.ts";
import { comparedGroupFields, nouns, type RecordKind } from "../../manifest/manifest.ts";
import type { Progress } from "../../output/progress.ts";
import { totalText, type RecordSink } from "../../service/lines.ts";
import type { Planner } from "../../manifest/plan/plan.ts";
import { groupKey, idText, pathName } from "../../manifest/plan/records.ts";
import { type List, readList } from "../../service/read-list.ts";

/** A consumer of the existing records that it needs. */
export type Reader = Pick<Planner, "needs" | "take" | "fieldsOf">;

/**
 * Passes all existing records to a reader once their list is complete. A record whose list item lacks a field that the
 * reader needs is fetched.
 *
 * @returns the service's refusal to list or show records, if any
 * @throws SendctlError "unexpected_response" for lists that keep changing while they are read, or a field that is
 *   never shown
 */
export async function readRecords(
  { output }: Pick<Capabilities, "output">,
  service: Service,
  reader: Reader,
): Promise<Reply | undefined> {
  const progress = output.progress();
  try {
    for (const kind of reader.needs) {
      const refusal = await take(kind, service, reader, progress);
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  } finally {
    await progress.done();
  }
}

/** Passes every record of a list to a reader. @returns the refusal, if any */
async function take(
  kind: RecordKind,
  service: Service,
  reader: Reader,
  progress: Progress,
): Promise<Reply | undefined> {
  const list: List =
    kind === "group"
      ? (query) => service["group.list"]({ query })
      : (query) => service["sender-id.list"]({ query });
  let held: ShownRecord[] = [];
  const sink: RecordSink = {
    add: async (lines) => {
      for (const { record } of lines) held.push(record);
    },
    clear: () => (held = []),
  };
  const read = await readList(list, sink, {
    progress: (count, total) =>
      progress.update(`Reading ${nouns[kind]}s: ${count} of ${totalText(total)}`),
  });
  if ("refusal" in read) return read.refusal;
  for (const record of held) {
    const found = isWhole(kind, record)
      ? { whole: record }
      : await completed(kind, record, service, reader);
    if ("refusal" in found) return found.refusal;
    reader.take(kind, found.whole);
  }
  return undefined;
}

/** Returns whether a list item has all fields that a manifest can set and the service shows. */
function isWhole(kind: RecordKind, record: ShownRecord): boolean {
  if (kind === "sender-id") return record["purpose"] !== undefined;
  return comparedGroupFields.every((field) => record[field] !== undefined);
}

/** Returns a record with the fields that the reader needs, which takes a fetch if its list item lacks one. */
async function completed(
  kind: RecordKind,
  record: ShownRecord,
  service: Service,
  { fieldsOf }: Reader,
): Promise<{ readonly whole: ShownRecord } | { readonly refusal: Reply }> {
  const needed = fieldsOf(kind, record).filter((field) => record[field] === undefined);
  if (needed.length === 0) return { whole: record };
  const reply =
    kind === "group"
      ? await service["group.fetch"]({ path: { id: groupKey(record) }, expected: record })
      : await service["sender-id.fetch"]({ path: { name: pathName(record) }, expected: record });
  if (!succeeded(reply)) return { refusal: reply };
  const fetched = reply.envelope!.data as ShownRecord;
  const missing = needed.find((field) => fetched[field] === undefined);
  if (missing === undefined) return { whole: { ...record, ...fetched } };
  throw new SendctlError(
    "unexpected_response",
    `the service does not show the ${missing} of the ${nouns[kind]} with id ${idText(record)}`,
  );
}
