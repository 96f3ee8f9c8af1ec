import type { Capabilities } from "../../command/context.ts";
import { SendctlError } from "../../core/error.ts";
import { type Reply, type Service, type ShownRecord, succeeded } from "../../contract/service.ts";
import {
  type Existing,
  type Manifest,
  type RecordKind,
  groupKey,
  idText,
  isNamed,
  nameOf,
  nouns,
  pathName,
  recordKey,
} from "../../manifest/manifest.ts";
import type { Progress } from "../../output/status/progress.ts";
import { type RecordSink, totalText } from "../../service/lines.ts";
import type { Planner } from "../../manifest/plan/plan.ts";
import { type List, readList } from "../../service/read-list.ts";
import { refusalText } from "../../service/refusals.ts";
import type { Outcome } from "../../manifest/plan/execute.ts";
import type { CreatedRecord } from "../../manifest/plan/memory.ts";
import { peopleForm } from "../../core/names.ts";
import type { Duplicate, SecondLook } from "./conclude.ts";
import { isInterrupted, isStop } from "./outcome.ts";

/** A consumer of the existing records that it needs. */
type Reader = Pick<Planner, "needs" | "take" | "needsSenderId">;

/**
 * Passes all existing records to a reader once their list is complete. A record whose list item lacks a field that the
 * reader needs is fetched.
 *
 * @returns the service's refusal to list or show records, if any
 * @throws SendctlError "unexpected_response" for lists that keep changing while they are read, or a field that is
 *   never shown
 */
export async function readRecords(
  { output, target }: Pick<Capabilities, "output" | "target">,
  service: Service,
  reader: Reader,
): Promise<Reply | undefined> {
  const progress = output.progress();
  try {
    for (const kind of ["sender-id", "group"] as const) {
      if (reader.needs[kind] === undefined) continue;
      const refusal = await take(kind, service, reader, progress, target);
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
  { senderIdOf }: Capabilities["target"],
): Promise<Reply | undefined> {
  const list: List = (query) => service[`${kind}.list` as const]({ query });
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
  for (const listed of held) {
    let record = listed;
    if (missingIn(listed, reader.needs[kind]) !== undefined) {
      const reply = await (kind === "group"
        ? service["group.fetch"]({ path: { id: groupKey(listed) }, expected: listed })
        : service["sender-id.fetch"]({ path: { name: pathName(listed) }, expected: listed }));
      if (!succeeded(reply)) return reply;
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
  return undefined;
}

function missingIn(record: ShownRecord, fields: readonly string[] = []): string | undefined {
  return fields.find((field) => record[field] === undefined);
}

/** Returns the records that steps created. @param at milliseconds since 1970 */
function createdBy(outcomes: readonly Outcome[], at: number): CreatedRecord[] {
  return outcomes.flatMap((outcome) => {
    const { step } = outcome;
    if (step.action !== "create" && step.action !== "replace") return [];
    if (outcome.outcome === "not tried") return [];
    const cause = outcome.outcome === "failed" ? outcome.cause : undefined;
    const unseen = cause instanceof SendctlError ? cause.record : undefined;
    const id = idText(outcome.record ?? unseen ?? {});
    return id === undefined ? [] : [{ kind: step.kind, id, name: step.desired.name, at }];
  });
}

/**
 * Reads the lists of created records again: another apply, on another machine, may have created the same ones.
 *
 * @param unlisted records of earlier applies that the lists did not show
 */
export async function lookAgain(
  context: Capabilities,
  manifest: Manifest,
  outcomes: readonly Outcome[],
  unlisted: readonly CreatedRecord[],
): Promise<SecondLook> {
  const created = createdBy(outcomes, context.clock.now());
  const all = [...unlisted, ...created];
  const unseen = { duplicates: [], unlisted: all };
  if (created.length === 0 || isInterrupted(outcomes)) return unseen;
  const unread = (text: string): SecondLook => {
    return { ...unseen, warning: `the lists could not be read again to find duplicates: ${text}` };
  };
  try {
    const reader = duplicateFinder(manifest, all, removedIds(outcomes));
    const refusal = await readRecords(context, context.target.service, reader);
    return refusal === undefined
      ? reader.result()
      : unread(refusalText(refusal, context.output.database));
  } catch (error) {
    if (!(error instanceof SendctlError)) throw error;
    return isStop(error) ? { ...unseen, stopped: error } : unread(error.message);
  }
}

/** Returns the records that steps have deleted. A service may have restored one for its replacement. */
function removedIds(outcomes: readonly Outcome[]): ReadonlySet<string> {
  const keys = outcomes.flatMap(({ step, ...ending }) => {
    if (step.action !== "delete" && step.action !== "replace") return [];
    const created = "record" in ending ? idText(ending.record ?? {}) : undefined;
    return created === idText(step.existing) ? [] : recordKey(step.kind, step.existing["id"]);
  });
  return new Set(keys);
}

function nameKey(kind: RecordKind, name: string): string {
  return recordKey(kind, peopleForm(name));
}

/** Creates a reader that collects the ids of each created name. */
function duplicateFinder(
  { senderIds, groups }: Manifest,
  created: readonly CreatedRecord[],
  removed: ReadonlySet<string>,
) {
  const ids = new Map<string, Set<string>>();
  for (const { kind, name, id } of created) {
    const key = nameKey(kind, name);
    ids.set(key, (ids.get(key) ?? new Set()).add(id));
  }
  const listed = new Set<string>();
  const wantedCount = ({ kind, name }: CreatedRecord): number =>
    ((kind === "group" ? groups : senderIds) ?? []).filter(
      (desired) => peopleForm(desired.name) === peopleForm(name),
    ).length;
  return {
    needs: Object.fromEntries(created.map(({ kind }) => [kind, []])),
    take: (kind: RecordKind, record: Existing): void => {
      const id = String(record["id"]);
      listed.add(recordKey(kind, id));
      // Its deletion may be accepted and not done yet.
      if (removed.has(recordKey(kind, id))) return;
      if (isNamed(record)) ids.get(nameKey(kind, nameOf(record)))?.add(id);
    },
    result: (): SecondLook => {
      const unlisted = created.filter(({ kind, id }) => !listed.has(recordKey(kind, id)));
      const duplicates = created.flatMap((record): Duplicate[] => {
        const { kind, name } = record;
        // Each apply that reports them lists the oldest first.
        const found = [...ids.get(nameKey(kind, name))!].toSorted(
          (a, b) => a.length - b.length || (a < b ? -1 : 1),
        );
        const isDuplicate = found.length > 1 && found.length > wantedCount(record);
        return isDuplicate ? [{ kind, name, ids: found }] : [];
      });
      const warning =
        "the lists do not show all created records yet, so duplicates cannot be detected";
      return { unlisted, duplicates, ...(unlisted.length > 0 && { warning }) };
    },
  };
}
