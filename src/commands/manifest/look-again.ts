import type { Capabilities } from "../../command/capabilities.ts";
import { SendctlError } from "../../core/error.ts";
import type { Manifest, RecordKind } from "../../manifest/manifest.ts";
import { refusalText } from "../../service/refusals.ts";
import type { Outcome } from "../../manifest/plan/execute.ts";
import { idText, nameOf, recordKey, type Existing } from "../../manifest/plan/records.ts";
import type { CreatedRecord } from "../../manifest/plan/memory.ts";
import { fold } from "../../manifest/plan/match-records.ts";
import { errorOf, isInterrupted, isStop, type Duplicate, type SecondLook } from "./outcome.ts";
import { readRecords } from "./read-records.ts";

/** Returns the records that steps created. @param at milliseconds since 1970 */
function createdBy(outcomes: readonly Outcome[], at: number): CreatedRecord[] {
  return outcomes.flatMap((outcome) => {
    const { step } = outcome;
    if (step.action !== "create" && step.action !== "replace") return [];
    if (outcome.outcome === "not tried") return [];
    const id = idText(outcome.record ?? errorOf(outcome)?.record ?? {});
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
    const reader = duplicateFinder(manifest, all);
    const refusal = await readRecords(context, context.target.service, reader);
    return refusal === undefined ? reader.result() : unread(refusalText(refusal));
  } catch (error) {
    if (!(error instanceof SendctlError)) throw error;
    return isStop(error) ? { ...unseen, stopped: error } : unread(error.message);
  }
}

function nameKey(kind: RecordKind, name: string): string {
  return recordKey(kind, fold(name));
}

/** Creates a reader that collects the ids of each created name. */
function duplicateFinder({ senderIds, groups }: Manifest, created: readonly CreatedRecord[]) {
  const ids = new Map<string, Set<string>>();
  for (const { kind, name, id } of created) {
    const key = nameKey(kind, name);
    ids.set(key, (ids.get(key) ?? new Set()).add(id));
  }
  const listed = new Set<string>();
  const wantedCount = ({ kind, name }: CreatedRecord): number =>
    ((kind === "group" ? groups : senderIds) ?? []).filter(
      (desired) => fold(desired.name) === fold(name),
    ).length;
  return {
    needs: (["sender-id", "group"] as const).filter((kind) =>
      created.some((record) => record.kind === kind),
    ),
    fieldsOf: () => [],
    take: (kind: RecordKind, record: Existing): void => {
      const id = String(record["id"]);
      listed.add(recordKey(kind, id));
      ids.get(nameKey(kind, nameOf(record)))?.add(id);
    },
    result: (): SecondLook => {
      const unlisted = created.filter(({ kind, id }) => !listed.has(recordKey(kind, id)));
      const duplicates = created.flatMap((record): Duplicate[] => {
        const { kind, name } = record;
        const found = [...ids.get(nameKey(kind, name))!];
        const isDuplicate = found.length > 1 && found.length > wantedCount(record);
        return isDuplicate ? [{ kind, name, ids: found }] : [];
      });
      const warning = "the lists do not show all created records yet, so duplicates cannot be seen";
      return { unlisted, duplicates, ...(unlisted.length > 0 && { warning }) };
    },
  };
}
