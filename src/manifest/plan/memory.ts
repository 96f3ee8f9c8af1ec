import { type RecordKind, recordKey } from "../manifest.ts";
import { isObject } from "../../contract/service.ts";
import type { StoredDifference } from "../../core/error.ts";
import { jsonText } from "../../core/json-text.ts";
import { areSameForPeople } from "../../core/names.ts";

/** A group that may lack its sender ID, which responses do not show. */
export interface PendingSenderId {
  readonly name: string;
  /** Decimal; undefined until the group is created. */
  readonly id?: string;
}

/** A field whose stored value differs from the value that was sent. */
export interface StoredAs extends StoredDifference {
  readonly kind: RecordKind;
  /** Decimal id of the record. */
  readonly id: string;
}

/** A record that was created and that no list has shown yet. */
export interface CreatedRecord {
  readonly kind: RecordKind;
  readonly id: string;
  /** The name that was sent. */
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** A record that this user has created, renamed or deleted less than a minute ago. */
export interface RecentRecord extends CreatedRecord {
  readonly isDeleted: boolean;
  /** Whether an apply has created it, which remembers by itself what the lists do not show. */
  readonly isOfApply: boolean;
}

/** State that an apply stores for the next plan of the same target: docs/decisions/0016. */
export interface Memory {
  readonly pending: readonly PendingSenderId[];
  readonly stored: readonly StoredAs[];
  readonly created: readonly CreatedRecord[];
  /** The keys of records that this user has deleted in the last minute, which lists may still show. Not stored. */
  readonly deleted?: ReadonlySet<string>;
}

export const emptyMemory: Memory = { pending: [], stored: [], created: [] };

/** Maximum time in milliseconds until a list shows a created record. */
const maxListLag = 60_000;

/**
 * Parses a state file. Invalid content is ignored: applies are correct without it. So are created records that every
 * list should show by now, and those in the future, because the clock was set back.
 *
 * @param now milliseconds since 1970
 */
export function parseMemory(text: string | undefined, now = 0): Memory {
  if (text === undefined) return emptyMemory;
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value) || value["version"] !== 1) return emptyMemory;
    const created = itemsOf<CreatedRecord>(value["created"], ["kind", "id", "name"]);
    return {
      pending: itemsOf<PendingSenderId>(value["pending"], ["name"]),
      stored: itemsOf<StoredAs>(value["stored"], ["kind", "id", "field"]),
      created: created.filter(({ at }) => at <= now && at > now - maxListLag),
    };
  } catch {
    return emptyMemory;
  }
}

/**
 * Adds what other commands have done.
 *
 * @param recent what they have created and deleted
 * @param renamed the records for which the service stored other names than they sent
 */
export function withRecent(
  memory: Memory,
  recent: readonly RecentRecord[],
  renamed: readonly StoredAs[],
): Memory {
  const deleted = new Set(recent.filter(({ isDeleted }) => isDeleted).map(keyOfRecord));
  const added = recent
    .filter(({ isDeleted, isOfApply }) => !isDeleted && !isOfApply)
    .map(({ kind, id, name, at }) => ({ kind, id, name, at }));
  const created = memory.created.filter((record) => !deleted.has(keyOfRecord(record)));
  // Names that are the same for people are compared anyway. What an apply has stored is newer.
  const others = renamed.filter(({ sent, stored }) => !areSameForPeople(String(sent), stored));
  const stored = [...others, ...memory.stored];
  return { ...memory, stored, created: [...created, ...added], deleted };
}

function keyOfRecord({ kind, id }: CreatedRecord): string {
  return recordKey(kind, id);
}

/**
 * Returns the content of a state file; undefined if there is nothing to store.
 *
 * @param isSecret returns whether a text contains the key: what has it is not stored
 */
export function memoryText(
  memory: Memory,
  isSecret: (text: string) => boolean,
): string | undefined {
  const [pending, stored, created] = [memory.pending, memory.stored, memory.created].map(
    (items: readonly object[]) => items.filter((item) => !isSecret(jsonText(item))),
  );
  if ([pending, stored, created].flat().length === 0) return undefined;
  return `${jsonText({ version: 1, pending, stored, created })}\n`;
}

/** Returns the items of a list that have these texts. */
function itemsOf<Item>(list: unknown, texts: readonly string[]): readonly Item[] {
  if (!Array.isArray(list)) return [];
  const items = list
    .filter(isObject)
    .filter((item) => texts.every((field) => typeof item[field] === "string"));
  return items as unknown as readonly Item[];
}

export type Recall = ReturnType<typeof recallOf>;

/** Returns the lookups that a plan makes in a memory. */
export function recallOf({ pending, stored }: Memory) {
  const ids = new Set(pending.flatMap(({ id }) => id ?? []));
  const names = new Set(pending.flatMap(({ id, name }) => (id === undefined ? name : [])));
  const fields = new Map(stored.map((entry) => [keyOf(entry), entry]));
  return {
    /** Returns whether a group may lack its sender ID. */
    isPending: (id: string, name: string): boolean => ids.has(id) || names.has(name),
    /** Returns whether the service is known to store a sent value as the one that it shows. */
    isKnown: (kind: RecordKind, id: string, difference: StoredDifference): boolean => {
      const found = fields.get(keyOf({ kind, id, field: difference.field }));
      const { sent, stored: shown } = difference;
      return found !== undefined && isSame(found.sent, sent) && isSame(found.stored, shown);
    },
    /** Returns the name that was sent for a record if the service stored another one. */
    sentName: (kind: RecordKind, id: string, name: string): string | undefined => {
      const found = fields.get(keyOf({ kind, id, field: "name" }));
      const isStored = found !== undefined && isSame(found.stored, name);
      return isStored && typeof found.sent === "string" ? found.sent : undefined;
    },
  };
}

function isSame(stored: unknown, value: unknown): boolean {
  return jsonText(stored ?? null) === jsonText(value ?? null);
}

/** Returns the identity of an entry. */
export function keyOf({ kind, id, field }: Pick<StoredAs, "kind" | "id" | "field">): string {
  return `${recordKey(kind, id)} ${field}`;
}
