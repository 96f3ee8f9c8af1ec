import type { JournalEntry, JournaledStep } from "../../config/journal.ts";
import { jsonText } from "../../core/json-text.ts";
import { counted, safeText } from "../../core/text.ts";
import { exportedGroup } from "../../manifest/export.ts";
import {
  type Existing,
  type RecordKind,
  changesOf,
  comparedGroupFields,
  nameOf,
  nouns,
  purposeOf,
  recordKey,
} from "../../manifest/manifest.ts";
import { fold } from "../../manifest/plan/match-records.ts";
import type { ChangingStep } from "../../manifest/plan/plan.ts";
import { contactsOf } from "../manifest/step-text.ts";

/** What a command did to one record, over all its steps. */
interface NetChange {
  readonly kind: RecordKind;
  /** The record before the first step and after the last one; null if it did not exist. */
  readonly before: Existing | null;
  readonly after: Existing | null;
  /** The numbers of the steps, from 0. */
  readonly steps: readonly number[];
}

/** A step of an undo, and the steps that it takes back. */
export interface UndoStep {
  readonly step: ChangingStep;
  readonly reverts: readonly number[];
}

/** Returns the steps of an entry that other entries have taken back. */
export function revertedSteps(
  { id }: JournalEntry,
  entries: readonly JournalEntry[],
): ReadonlySet<number> {
  const undos = entries.filter(({ undoes }) => undoes === id);
  const done = undos.flatMap(({ steps }) => steps.filter(({ action }) => action === "done"));
  return new Set(done.flatMap(({ reverts = [] }) => reverts));
}

/** Returns whether all steps of an entry have been taken back. */
export function isUndone(entry: JournalEntry, entries: readonly JournalEntry[]): boolean {
  const changes = entry.steps.filter(({ action }) => action !== "done");
  return revertedSteps(entry, entries).size >= changes.length;
}

const problems: Readonly<Record<NonNullable<JournaledStep["problem"]>, string>> = {
  unknown: "the outcome of a request is unknown",
  secret: "the key occurs in a record, so its values were not stored",
  unread: "the values of a record before or after it are not known",
  request: "a raw request is not an operation of the service",
  too_large: "it changed more records than the history stores",
};

/** Returns why an entry cannot be undone; undefined if it can. */
export function problemOf({ steps }: JournalEntry): string | undefined {
  const step = steps.find(({ problem }) => problem !== undefined);
  if (step?.problem !== undefined) return problems[step.problem] ?? "it is damaged";
  const isVisible = netChanges(steps, new Set()).some(
    ({ before, after }) => before === null || after === null || changedFields(before, after).length,
  );
  return isVisible ? undefined : "it changed no field that the service shows";
}

/** Joins the steps of each record, the newest first. @param reverted steps to leave out */
function netChanges(
  steps: readonly JournaledStep[],
  reverted: ReadonlySet<number>,
): readonly NetChange[] {
  const changes = new Map<string, NetChange>();
  for (const [index, { kind, before, after }] of steps.entries()) {
    const record = after ?? before;
    if (kind === undefined || record === null || reverted.has(index)) continue;
    const key = keyOf(kind, record);
    const first = changes.get(key);
    changes.delete(key);
    changes.set(key, {
      kind,
      before: first === undefined ? before : first.before,
      after,
      steps: [...(first?.steps ?? []), index],
    });
  }
  return [...changes.values()].toReversed();
}

/** The current records of a target. */
export interface CurrentRecords {
  /** Returns a record, or the one that an undo created in its place. */
  readonly get: (kind: RecordKind, record: Existing) => Existing | undefined;
  readonly all: (kind: RecordKind) => Iterable<Existing>;
}

/** Collects records as `readRecords` passes them. @param entries the journal, newest first */
export function createCurrentRecords(entries: readonly JournalEntry[]) {
  const records = new Map<string, Existing>();
  const listed = { "sender-id": [] as Existing[], group: [] as Existing[] };
  const successors = new Map<string, string>();
  for (const { undoes, steps } of entries) {
    const undone = entries.find(({ id }) => id === undoes);
    for (const { action, kind, after, reverts = [] } of steps) {
      if (undone === undefined || kind === undefined || action !== "create" || !after) continue;
      for (const { before } of reverts.flatMap((index) => undone.steps[index] ?? [])) {
        if (before !== null) successors.set(keyOf(kind, before), keyOf(kind, after));
      }
    }
  }
  return {
    take: (kind: RecordKind, record: Existing): void => {
      listed[kind].push(record);
      records.set(keyOf(kind, record), record);
      // The response to a create may lack the uuid.
      records.set(keyOf(kind, { ...record, uuid: undefined }), record);
    },
    get: (kind: RecordKind, record: Existing): Existing | undefined => {
      let key = keyOf(kind, record);
      // A service may use the id of a deleted record again, so this can be a circle.
      for (const _ of successors) key = records.has(key) ? key : (successors.get(key) ?? key);
      return records.get(key);
    },
    all: (kind: RecordKind): readonly Existing[] => listed[kind],
  };
}

/** Returns the identity of a record. After `local reset`, other groups have the same ids. */
function keyOf(kind: RecordKind, { uuid, id, name }: Existing): string {
  return recordKey(kind, typeof uuid === "string" ? uuid.toLowerCase() : (id ?? name));
}

/**
 * Plans to take back an entry, its last change first.
 *
 * @param number of the entry, for the locations of its records
 * @param reverted steps that were taken back before
 * @returns the steps, and a line for each record that has changed since; nothing may be sent if there are any
 */
export function planUndo(
  entry: JournalEntry,
  number: number,
  reverted: ReadonlySet<number>,
  current: CurrentRecords,
): { readonly steps: readonly UndoStep[]; readonly changed: readonly string[] } {
  const steps: UndoStep[] = [];
  const changed: string[] = [];
  const location = { file: "history", line: number, column: 1 };
  const changes = netChanges(entry.steps, reverted);
  const created = changes.filter(({ before }) => before === null);
  const removed = new Set(created.map(({ kind, after }) => after && current.get(kind, after)));
  for (const { kind, before, after, steps: reverts } of changes) {
    const record = after ?? before;
    if (record === null) continue;
    const existing = current.get(kind, record);
    const refuse = (why: string): void => {
      changed.push(safeText(`${nouns[kind]} ${nameOf(record)} ${why}`));
    };
    if (after === null) {
      const why = presence(kind, record, entry.time, existing, current, removed);
      if (why !== undefined) refuse(why);
      else if (kind === "group") {
        const desired = { ...exportedGroup(record), location };
        steps.push({
          step: { action: "create", kind, desired, unlisted: undefined },
          reverts,
        });
      } else {
        const desired = { name: nameOf(record), purpose: purposeOf(record), location };
        steps.push({ step: { action: "create", kind, desired, unlisted: undefined }, reverts });
      }
    } else if (existing === undefined) refuse("no longer exists");
    else if (before === null) {
      const why = createdSince(kind, after, entry.time, existing);
      if (why !== undefined) refuse(why);
      else steps.push({ step: { action: "delete", kind, existing }, reverts });
    } else {
      const fields = changedFields(before, after);
      const different = fields.filter((field) => !isEqual(existing[field], after[field]));
      if (different.length > 0) refuse(`has another ${different.join(", ")} by now`);
      else if (kind === "group" && fields.length > 0) {
        const old = Object.entries(exportedGroup({ ...after, ...before }));
        const values = Object.fromEntries(
          old.filter(([field]) => fields.includes(field as "name")),
        );
        const desired = { name: nameOf(existing), ...values, location };
        const step = { action: "update", kind, desired, existing, storedDifferently: [] } as const;
        steps.push({ step: { ...step, changes: changesOf(desired, existing) }, reverts });
      }
    }
  }
  return { steps, changed };
}

/** Returns the fields that an update changed, of those that responses show and an update can set. */
function changedFields(before: Existing, after: Existing) {
  return comparedGroupFields.filter(
    (field) => before[field] !== undefined && !isEqual(before[field], after[field]),
  );
}

function isEqual(left: unknown, right: unknown): boolean {
  return jsonText(left ?? null) === jsonText(right ?? null);
}

/** Returns why a deleted record cannot be created again: it, or another of its name, exists. */
function presence(
  kind: RecordKind,
  record: Existing,
  deletedAt: string,
  existing: Existing | undefined,
  current: CurrentRecords,
  removed: ReadonlySet<Existing | null | undefined>,
): string | undefined {
  if (existing !== undefined && !removed.has(existing)) return "exists again";
  const name = fold(nameOf(record));
  for (const other of current.all(kind)) {
    if (removed.has(other) || fold(nameOf(other)) !== name) continue;
    // Several groups can have a name.
    const isNew = kind === "sender-id" || timeOf(other) > Date.parse(deletedAt);
    if (isNew) return `was created again (id ${String(other["id"])})`;
  }
  return undefined;
}

/** Tolerance for the clock of the service, in milliseconds. */
const maxClockDifference = 10 * 60_000;

/** Returns why a created record may not be deleted. */
function createdSince(
  kind: RecordKind,
  after: Existing,
  createdAt: string,
  existing: Existing,
): string | undefined {
  const compared =
    kind === "group" ? comparedGroupFields : (["name", "purpose", "status"] as const);
  const field = compared.find(
    (name) => after[name] !== undefined && !isEqual(existing[name], after[name]),
  );
  if (field !== undefined) return `has another ${field} by now`;
  if (kind === "group" && !("contacts_count" in existing)) {
    return "may have contacts: the service does not show their number";
  }
  const count = kind === "group" ? contactsOf(existing) : 0;
  if (count > 0) return `has ${counted(Number(count), "contact")} by now`;
  // A service may respond to a create with a record that existed.
  if (timeOf(existing) < Date.parse(createdAt) - maxClockDifference) return "existed before";
  return undefined;
}

/** Returns when a record was created, in milliseconds since 1970; NaN if that is not known. */
function timeOf({ created_at: time }: Existing): number {
  return typeof time === "string" ? Date.parse(time) : Number.NaN;
}

/** Returns what a plan does not restore, one line for each kind of loss. */
export function lossesOf({ steps: journaled }: JournalEntry, steps: readonly UndoStep[]): string[] {
  const isCreated = (kind: RecordKind): boolean =>
    steps.some(({ step }) => step.kind === kind && step.action === "create");
  const setsSenderId = steps.some(({ reverts }) =>
    reverts.some((index) => journaled[index]?.setsSenderId === true),
  );
  return [
    ...(isCreated("group") ? ["the id, uuid, contacts and sender_id of a deleted group"] : []),
    ...(isCreated("sender-id")
      ? ["the id and approval of a deleted sender ID, and the sender_id of the groups that used it"]
      : []),
    ...(setsSenderId ? ["the sender_id of an updated group, which the service never shows"] : []),
  ];
}
