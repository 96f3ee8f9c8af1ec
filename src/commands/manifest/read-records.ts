import type { Capabilities } from "../../command/context.ts";
import { SendctlError } from "../../core/error.ts";
import type { Service, ShownRecord } from "../../contract/service.ts";
import { type RecordKind, groupKey, idText, nouns, pathName } from "../../manifest/manifest.ts";
import type { Progress } from "../../output/status/progress.ts";
import { type RecordSink, totalText } from "../../service/lines.ts";
import type { Planner } from "../../manifest/plan/plan.ts";
import { type List, readList } from "../../service/read-list.ts";

/** A consumer of the existing records that it needs. */
type Reader = Pick<Planner, "needs" | "take" | "needsSenderId">;

/**
 * Passes all existing records to a reader once their list is complete. A record whose list item lacks a field that the
 * reader needs is fetched.
 *
 * @throws SendctlError "unexpected_response" for lists that keep changing while they are read, or a field that is
 *   never shown; Refusal
 */
export async function readRecords(
  { output, target }: Pick<Capabilities, "output" | "target">,
  service: Service,
  reader: Reader,
): Promise<void> {
  const progress = output.progress();
  try {
    for (const kind of ["sender-id", "group"] as const) {
      if (reader.needs[kind] === undefined) continue;
      await take(kind, service, reader, progress, target);
    }
  } finally {
    await progress.done();
  }
}

/** Passes every record of a list to a reader. */
async function take(
  kind: RecordKind,
  service: Service,
  reader: Reader,
  progress: Progress,
  { senderIdOf }: Capabilities["target"],
): Promise<void> {
  const list: List = (query) => service[`${kind}.list` as const]({ query });
  let held: ShownRecord[] = [];
  const sink: RecordSink = {
    add: async (lines) => {
      for (const { record } of lines) held.push(record);
    },
    clear: () => (held = []),
  };
  await readList(list, sink, {
    progress: (count, total) =>
      progress.update(`Reading ${nouns[kind]}s: ${count} of ${totalText(total)}`),
  });
  for (const listed of held) {
    let record = listed;
    if (missingIn(listed, reader.needs[kind]) !== undefined) {
      const reply = await (kind === "group"
        ? service["group.fetch"]({ path: { id: groupKey(listed) }, expected: listed })
        : service["sender-id.fetch"]({ path: { name: pathName(listed) }, expected: listed }));
      record = { ...listed, ...(reply.envelope!.data as ShownRecord) };
    }
    const missing = missingIn(record, reader.needs[kind]);
    if (missing !== undefined) {
      throw new SendctlError(
        "unexpected_response",
        `the service does not show the ${missing} of the ${nouns[kind]} with id ${idText(record)}`,
      );
    }
    const isCompared = kind === "group" && reader.needsSenderId?.(record) === true;
    const sender_id = isCompared ? await senderIdOf(record) : undefined;
    reader.take(kind, sender_id === undefined ? record : { ...record, sender_id });
  }
}

function missingIn(record: ShownRecord, fields: readonly string[] = []): string | undefined {
  return fields.find((field) => record[field] === undefined);
}
