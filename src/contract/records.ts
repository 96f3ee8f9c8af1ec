/**
 * What the service answers with. Members and their order: specification, parts 1 and 2.
 * A remote service may send further members; they are kept and shown, never relied on.
 */

/** Every answer of the service, and every answer of a command that is no operation of it. */
export interface Envelope<Data = unknown> {
  readonly status: boolean;
  readonly message: string;
  readonly data: Data;
  /** What is wrong with which field: ruling 2. */
  readonly errors?: Readonly<Record<string, readonly string[]>>;
}

/** The `data` of a list answer. Pages count from 1. */
export interface Page<Item> {
  readonly data: readonly Item[];
  readonly current_page: number;
  readonly last_page: number;
  readonly per_page: number;
  readonly total: number;
}

/** Returns a whole list as its only page. */
export function onePage<Item>(data: readonly Item[]): Page<Item> {
  const count = data.length;
  return { data, current_page: 1, last_page: 1, per_page: count, total: count };
}

export interface SenderId {
  readonly id: number;
  readonly name: string;
  readonly purpose: string;
  readonly status: string;
  /** ISO 8601, UTC, six fractional digits and `Z`. */
  readonly created_at: string;
}

export interface Group {
  readonly id: number;
  readonly uuid: string;
  readonly name: string;
  readonly send_birthday: boolean;
  readonly send_holiday: boolean | null;
  readonly birthday_message: string | null;
  /** In the items of a list only. */
  readonly contacts_count?: number;
  /** ISO 8601, UTC, six fractional digits and `Z`. */
  readonly created_at: string;
}
