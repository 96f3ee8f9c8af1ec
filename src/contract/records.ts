import type { groupFields, pageFields, RecordOf, senderIdFields } from "./resources.ts";

/**
 * Responses of the service (specification, parts 1 and 2). A remote service may send further fields, which are
 * printed but never relied on.
 */

/** A response of the service, or the result of a command that is not one of its operations. */
export interface Envelope<Data = unknown> {
  readonly status: boolean;
  readonly message: string;
  readonly data: Data;
  /** Errors by field (ruling 2). */
  readonly errors?: Readonly<Record<string, readonly string[]>>;
}

/** The `data` of a list response. Pages are numbered from 1. */
export interface Page<Item> extends RecordOf<typeof pageFields> {
  readonly data: readonly Item[];
  /** Set if the service does not say how many records it has: there are at least `total`. */
  readonly isTotalAtLeast?: true | undefined;
}

export interface SenderId extends RecordOf<typeof senderIdFields> {}

/** Returns a list as a single page. */
export function onePage<Item>(data: readonly Item[]): Page<Item> {
  return { data, ...onePageNumbers(data.length) };
}

/** Returns the numbers of a list on a single page. */
export function onePageNumbers(count: number): Omit<Page<never>, "data"> {
  return { current_page: 1, last_page: 1, per_page: count, total: count };
}

/** Only list responses have `contacts_count`. */
export interface Group extends RecordOf<typeof groupFields> {}
