import type { Capabilities } from "../../cli/capabilities.ts";
import { SendctlError } from "../../contract/error.ts";
import { succeeded, type Reply, type Service, type ShownRecord } from "../../contract/service.ts";
import { comparedGroupFields } from "../../manifest/manifest.ts";
import type { Progress } from "../../output/progress.ts";
import type { Planner } from "../../plan/plan.ts";
import { groupKey, idText, pathName } from "../../plan/record-keys.ts";
import type { List } from "../../service/pages.ts";
import { streamList } from "../../service/stream-list.ts";

/** A consumer of the existing records that it needs. */
export interface Reader extends Pick<Planner, "needs" | "takeSenderId" | "takeGroup" | "fieldsOf"> {
  /** Called after each page. */
  readonly settle?: () => Promise<void>;
}

/** Maximum number of times to read lists that change while they are read. */
const maxPasses = 3;

/** A service's refusal to list or show records. */
class Refused extends Error {
  readonly reply: Reply;

  constructor(reply: Reply) {
    super("The service refused to show its records");
    this.reply = reply;
  }
}

/**
 * Passes all existing records to a reader. A record whose list item lacks a field that the reader needs is fetched.
 *
 * @param begin creates a reader; called again if the lists changed while they were read
 * @returns the reader, or the service's refusal
 * @throws SendctlError "unexpected_response" for lists that keep changing while they are read, or a field that is
 *   never shown
 */
export async function readRecords<R extends Reader>(
  { output }: Pick<Capabilities, "output">,
  service: Service,
  begin: () => R,
): Promise<{ readonly reader: R } | { readonly refusal: Reply }> {
  const progress = output.progress();
  try {
    for (let pass = 1; ; pass += 1) {
      const reader = begin();
      try {
        if (reader.needs.senderIds) await take("sender-id", service, reader, progress);
        if (reader.needs.groups) await take("group", service, reader, progress);
        return { reader };
      } catch (error) {
        if (error instanceof Refused) return { refusal: error.reply };
        const isChanging =
          error instanceof SendctlError && error.kind === "unexpected_response" && pass < maxPasses;
        if (!isChanging) throw error;
      }
    }
  } finally {
    await progress.done();
  }
}

const nouns = { "sender-id": "sender IDs", group: "groups" } as const;

/** Passes every record of a list to a reader. @throws Refused */
async function take(
  kind: "sender-id" | "group",
  service: Service,
  reader: Reader,
  progress: Progress,
): Promise<void> {
  const list: List =
    kind === "group"
      ? (query) => service["group.list"]({ query })
      : (query) => service["sender-id.list"]({ query });
  const streamed = await streamList(list, undefined, async (lines, { count, total }) => {
    for (const { record } of lines) {
      const whole = isWhole(kind, record) ? record : await completed(kind, record, service, reader);
      if (kind === "group") reader.takeGroup(whole);
      else reader.takeSenderId(whole);
    }
    await reader.settle?.();
    await progress.update(`Reading ${nouns[kind]}: ${count} of ${total}`);
  });
  if ("refusal" in streamed) throw new Refused(streamed.refusal);
}

/** Returns whether a list item has all fields that a manifest can set and the service shows. */
function isWhole(kind: "sender-id" | "group", record: ShownRecord): boolean {
  if (kind === "sender-id") return record["purpose"] !== undefined;
  return comparedGroupFields.every((field) => record[field] !== undefined);
}

/** Returns a record with the fields that the reader needs, which takes a fetch if its list item lacks one. */
async function completed(
  kind: "sender-id" | "group",
  record: ShownRecord,
  service: Service,
  { fieldsOf }: Reader,
): Promise<ShownRecord> {
  const needed = fieldsOf(kind, record).filter((field) => record[field] === undefined);
  if (needed.length === 0) return record;
  const reply =
    kind === "group"
      ? await service["group.fetch"]({ path: { id: groupKey(record) }, expected: record })
      : await service["sender-id.fetch"]({ path: { name: pathName(record) }, expected: record });
  if (!succeeded(reply)) throw new Refused(reply);
  const fetched = reply.envelope!.data as ShownRecord;
  const noun = kind === "group" ? "group" : "sender ID";
  const missing = needed.find((field) => fetched[field] === undefined);
  if (missing === undefined) return { ...record, ...fetched };
  throw new SendctlError(
    "unexpected_response",
    `the service does not show the ${missing} of the ${noun} with id ${idText(record)}`,
  );
}
