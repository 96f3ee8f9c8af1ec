import { type RecordKind, recordKey } from "../manifest.ts";
import { isObject } from "../../contract/service.ts";
import type { StoredDifference } from "../../core/error.ts";
import { jsonText } from "../../core/json-text.ts";

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

/** A record that this user has created, renamed or deleted less than a minute ago: lists may not show it yet. */
export interface RecentRecord {
  readonly kind: RecordKind;
  readonly id: string;
  /** The name that was sent. */
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly isDeleted: boolean;
  /** Whether its create may still be carried out, so that a fetch says nothing. */
  readonly isOpen?: boolean;
}

/** What a plan has to know of what this user did before. An apply stores its first two lists: docs/decisions/0016. */
export interface Memory {
  readonly pending: readonly PendingSenderId[];
  readonly stored: readonly StoredAs[];
  /** Records of the last minute, from the history. */
  readonly created: readonly RecentRecord[];
  /** The keys of records that this user has deleted in the last minute, which lists may still show. */
  readonly deleted?: ReadonlySet<string>;
}

export const emptyMemory: Memory = { pending: [], stored: [], created: [] };

/** Parses a state file. Invalid content is ignored: applies are correct without it. */
export function parseMemory(text: string | undefined): Memory {
  if (text === undefined) return emptyMemory;
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value) || value["version"] !== 1) return emptyMemory;
    return {
      ...emptyMemory,
      pending: itemsOf<PendingSenderId>(value["pending"], ["name"]),
      stored: itemsOf<StoredAs>(value["stored"], ["kind", "id", "field"]),
    };
  } catch {
    return emptyMemory;
  }
}

/** Adds what other commands have created and deleted. */
export function withRecent(memory: Memory, recent: readonly RecentRecord[]): Memory {
  const deleted = new Set(recent.filter(({ isDeleted }) => isDeleted).map(keyOfRecord));
  return { ...memory, created: recent.filter(({ isDeleted }) => !isDeleted), deleted };
}

function keyOfRecord({ kind, id }: RecentRecord): string {
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
  const [pending, stored] = [memory.pending, memory.stored].map((items: readonly object[]) =>
    items.filter((item) => !isSecret(jsonText(item))),
  );
  if ([pending, stored].flat().length === 0) return undefined;
  return `${jsonText({ version: 1, pending, stored })}\n`;
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
  };
}

function isSame(stored: unknown, value: unknown): boolean {
  return jsonText(stored ?? null) === jsonText(value ?? null);
}

/** Returns the identity of an entry. */
export function keyOf({ kind, id, field }: Pick<StoredAs, "kind" | "id" | "field">): string {
  return `${recordKey(kind, id)} ${field}`;
}
