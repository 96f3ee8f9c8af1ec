import type { StoredDifference } from "../contract/error.ts";
import { jsonText } from "../contract/text/json-text.ts";

/** A group that may lack its sender ID, which responses do not show. */
export interface OwedSenderId {
  readonly name: string;
  /** Decimal; undefined until the group is created. */
  readonly id?: string;
}

/** A field whose stored value differs from the value that was sent. */
export interface StoredAs extends StoredDifference {
  readonly kind: "sender-id" | "group";
  /** Decimal id of the record. */
  readonly id: string;
}

/** A record that an apply created and that lists may not show yet. */
export interface CreatedRecord {
  readonly kind: "sender-id" | "group";
  readonly id: string;
  /** The name that was sent. */
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** State that an apply stores for the next plan of the same target: docs/decisions/0016. */
export interface Memory {
  readonly owed: readonly OwedSenderId[];
  readonly stored: readonly StoredAs[];
  readonly created: readonly CreatedRecord[];
}

export const emptyMemory: Memory = { owed: [], stored: [], created: [] };

/** Parses a state file. Invalid content is ignored: applies are correct without it. */
export function parseMemory(text: string | undefined): Memory {
  if (text === undefined) return emptyMemory;
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value) || value["version"] !== 1) return emptyMemory;
    return {
      owed: itemsOf(value["owed"]).filter(isOwed),
      stored: itemsOf(value["stored"]).filter(isStoredAs),
      created: itemsOf(value["created"]).filter(isCreated),
    };
  } catch {
    return emptyMemory;
  }
}

/** Returns the content of a state file; undefined if there is nothing to store. */
export function memoryText({ owed, stored, created }: Memory): string | undefined {
  if (owed.length === 0 && stored.length === 0 && created.length === 0) return undefined;
  return `${jsonText({ version: 1, owed, stored, created })}\n`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isOwed(value: unknown): value is OwedSenderId {
  if (!isObject(value) || typeof value["name"] !== "string") return false;
  return value["id"] === undefined || typeof value["id"] === "string";
}

function isStoredAs(value: unknown): value is StoredAs {
  if (!isObject(value)) return false;
  const { kind, id, field, sent, stored } = value;
  const isKind = kind === "sender-id" || kind === "group";
  const isNamed = typeof id === "string" && typeof field === "string";
  return isKind && isNamed && sent !== undefined && stored !== undefined;
}

function isCreated(value: unknown): value is CreatedRecord {
  if (!isObject(value)) return false;
  const { kind, id, name, at } = value;
  const isKind = kind === "sender-id" || kind === "group";
  return isKind && typeof id === "string" && typeof name === "string" && Number.isFinite(at);
}

/** Lookups that a plan makes in a memory. */
export interface Recall {
  /** Returns whether a group may lack its sender ID. */
  readonly isOwed: (id: string, name: string) => boolean;
  /** Returns whether the service is known to store the sent value as the one that it shows. */
  readonly isStoredAs: (
    kind: StoredAs["kind"],
    id: string,
    field: string,
    sent: unknown,
    stored: unknown,
  ) => boolean;
  /** Returns the name that was sent for a record if the service stored another one. */
  readonly sentName: (kind: StoredAs["kind"], id: string, name: string) => string | undefined;
}

export function recallOf({ owed, stored }: Memory): Recall {
  const ids = new Set(owed.flatMap(({ id }) => id ?? []));
  const names = new Set(owed.flatMap(({ id, name }) => (id === undefined ? name : [])));
  const fields = new Map(stored.map((one) => [keyOf(one), one]));
  return {
    isOwed: (id, name) => ids.has(id) || names.has(name),
    isStoredAs: (kind, id, field, sent, shown) => {
      const found = fields.get(keyOf({ kind, id, field }));
      return found !== undefined && isSame(found.sent, sent) && isSame(found.stored, shown);
    },
    sentName: (kind, id, name) => {
      const found = fields.get(keyOf({ kind, id, field: "name" }));
      return found?.stored === name && typeof found.sent === "string" ? found.sent : undefined;
    },
  };
}

function isSame(one: unknown, other: unknown): boolean {
  return jsonText(one ?? null) === jsonText(other ?? null);
}

/** Returns the identity of an entry. */
export function keyOf({ kind, id, field }: Pick<StoredAs, "kind" | "id" | "field">): string {
  return `${kind} ${id} ${field}`;
}
