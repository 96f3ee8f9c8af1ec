import { stepProblems, type JournalEntry } from "../../config/journal.ts";
import { shownSenderId } from "../../contract/service.ts";
import { jsonText } from "../../core/json-text.ts";
import { type RecordKind, nouns } from "../../contract/resources.ts";
import { type Existing, comparedGroupFields, nameOf, recordKey } from "../../manifest/manifest.ts";

/** What a command did to one record, over all its steps. */
export interface NetChange {
  readonly key: string;
  readonly kind: RecordKind;
  /** The record before the first step and after the last one; null if it did not exist. */
  readonly before: Existing | null;
  readonly after: Existing | null;
  /** The fields that differ, of those that a manifest can set: all fields of a record that is new or gone. */
  readonly fields: readonly string[];
}

/** Returns whether all changes of an entry have been taken back. */
export function isUndone(entry: JournalEntry): boolean {
  return entry.undone.length > 0 && changesLeft(entry).length === 0;
}

/** Returns why an entry cannot be undone; undefined if it can. */
export function problemOf(entry: JournalEntry): string | undefined {
  const step = entry.steps.find(({ problem }) => problem !== undefined);
  if (step?.problem !== undefined) {
    return Object.hasOwn(stepProblems, step.problem) ? stepProblems[step.problem] : "it is damaged";
  }
  const isVisible = entry.undone.length > 0 || changesLeft(entry).length > 0;
  return isVisible ? undefined : "it changed no field that the service shows";
}

/** Returns the changes that are not taken back and that responses show. */
export function changesLeft(entry: JournalEntry): readonly NetChange[] {
  return netChanges(entry).filter(
    ({ key, fields }) => fields.length > 0 && !entry.undone.includes(key),
  );
}

/** Joins the steps of each record that the entry changed for good, the newest first. */
export function netChanges({ steps }: Pick<JournalEntry, "steps">): readonly NetChange[] {
  const changes = new Map<string, NetChange>();
  for (const { kind, ...step } of steps) {
    const [first, after] = [step.before, step.after].map((record) => record && comparable(record));
    const record = after ?? first;
    if (kind === undefined || !record) continue;
    const key = keyOf(kind, record);
    const known = changes.get(key);
    const before = known === undefined ? first! : known.before;
    changes.delete(key);
    changes.set(key, { key, kind, before, after: after!, fields: changed(kind, before, after!) });
  }
  return [...changes.values()].toReversed();
}

/** Returns a record with its sender ID, if the service shows it, as text. */
export function comparable(shown: Existing): Existing {
  const { sender_id: _, ...record } = shown;
  const sender = shownSenderId(shown);
  return sender === undefined ? record : { ...record, sender_id: sender };
}

/** Returns the identity of a record within a journal: a service finds groups by id and sender IDs by name. */
export function keyOf(kind: RecordKind, { id, name }: Existing): string {
  return recordKey(kind, kind === "group" ? (id ?? name) : name);
}

/** The fields that a manifest can set. A record of a remote service has no sender_id. */
export const settings = {
  group: [...comparedGroupFields, "sender_id"],
  "sender-id": ["name", "purpose"],
} as const;

function changed(
  kind: RecordKind,
  before: Existing | null,
  after: Existing | null,
): readonly string[] {
  if (before !== null && after !== null) return different(settings[kind], before, after);
  return before === after ? [] : settings[kind];
}

/** Returns the fields of a record that have another value in another one. */
export function different(
  fields: readonly string[],
  of: Existing,
  other: Existing,
): readonly string[] {
  return fields.filter(
    (field) => of[field] !== undefined && jsonText(of[field]) !== jsonText(other[field] ?? null),
  );
}

/** Returns what a record is called: `group Customers (id 4)`. */
export function titleOf(kind: RecordKind, record: Existing): string {
  const id = kind === "group" && "id" in record ? ` (id ${String(record["id"])})` : "";
  return `${nouns[kind]} ${nameOf(record)}${id}`;
}
