import type { groupFields, pageFields, RecordOf, senderIdFields } from "./resources.ts";

/**
 * What the service responds with: specification, parts 1 and 2. A remote service may send further fields;
 * they are kept and shown, never relied on.
 */

/** Every response of the service, and every result of a command that is not one of its operations. */
export interface Envelope<Data = unknown> {
  readonly status: boolean;
  readonly message: string;
  readonly data: Data;
  /** What is wrong with which field: ruling 2. */
  readonly errors?: Readonly<Record<string, readonly string[]>>;
}

/** The `data` of a list response. Pages count from 1. */
export interface Page<Item> extends RecordOf<typeof pageFields> {
  readonly data: readonly Item[];
}

export interface SenderId extends RecordOf<typeof senderIdFields> {}

/** Returns a whole list as its only page. */
export function onePage<Item>(data: readonly Item[]): Page<Item> {
  const count = data.length;
  return { data, current_page: 1, last_page: 1, per_page: count, total: count };
}

/** `contacts_count` is in the items of a list only. */
export interface Group extends RecordOf<typeof groupFields> {}
