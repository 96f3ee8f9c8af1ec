import type { ReadSlice, Slice, StoredGroup, StoredSenderId } from "../store/store.ts";
import type { Queries, Value } from "./queries.ts";
import {
  groupColumns,
  groupOf,
  senderIdColumns,
  senderIdOf,
  type GroupValues,
  type SenderIdValues,
} from "../store/rows.ts";

/** Describes a list that is read page by page. */
interface Listed<Values extends readonly Value[], Stored> {
  readonly table: "sender_id" | "contact_group";
  readonly columns: string;
  /** Converts a row to its record. @param values in the order of the columns, the id first */
  readonly stored: (values: Values) => Stored;
}

/** Returns the store methods for lists, newest records first. */
export function pageMethods(queries: Queries): {
  readonly sliceOfSenderIds: ReadSlice<StoredSenderId>;
  readonly sliceOfGroups: ReadSlice<StoredGroup>;
} {
  return {
    sliceOfSenderIds: slicer<SenderIdValues, StoredSenderId>(queries, {
      table: "sender_id",
      columns: senderIdColumns,
      stored: senderIdOf,
    }),
    sliceOfGroups: slicer<GroupValues, StoredGroup>(queries, {
      table: "contact_group",
      columns: groupColumns,
      stored: groupOf,
    }),
  };
}

/**
 * Maximum number of cached slices, and of records in a cached slice. Any write clears the cache.
 */
const maxSlices = 64;
const maxSliceLength = 100;

/**
 * Returns a reader of slices. A page that was read since the last write of any process costs next to
 * nothing, and is the same object.
 */
function slicer<Values extends readonly Value[], Stored>(
  { row, values, read, state: stateOf }: Queries,
  { table, columns, stored }: Listed<Values, Stored>,
): ReadSlice<Stored> {
  const total = `SELECT ${table}_total AS total FROM integration WHERE id = ?`;
  const select = `SELECT ${columns} FROM ${table} WHERE integration_id = ?`;
  const next = `${select} AND id < ? ORDER BY id DESC LIMIT ?`;
  const fromNewest = `${select} ORDER BY id DESC LIMIT ? OFFSET ?`;
  const fromOldest = `${select} ORDER BY id ASC LIMIT ? OFFSET ?`;

  /** The state of the database when the variables below were set. */
  let state = "";
  let slices = new Map<string, Slice<Stored>>();

  /** Clears the cache if the database has changed. */
  function checkState(): void {
    const now = stateOf();
    if (now === state) return;
    state = now;
    slices = new Map();
  }

  function slice(
    integration: number,
    skip: number,
    count: number,
    before: number | undefined,
  ): Slice<Stored> {
    const all = row<{ total: number }>(total, integration)?.total ?? 0;
    if (before !== undefined) {
      const found = values<Values>(next, integration, before, count);
      return { items: found.map((one) => stored(one)), total: all };
    }
    const length = Math.min(count, all - skip);
    if (length <= 0) return { items: [], total: all };
    const found = fromNearerEnd(integration, skip, length, all);
    return { items: found.map((one) => stored(one)), total: all };
  }

  /**
   * Reads a page in the second half from the oldest record on, because skipping takes time per
   * record.
   */
  function fromNearerEnd(integration: number, skip: number, length: number, all: number): Values[] {
    const fromEnd = all - skip - length;
    return skip <= fromEnd
      ? values<Values>(fromNewest, integration, length, skip)
      : values<Values>(fromOldest, integration, length, fromEnd).toReversed();
  }

  return (integration, skip, count, before) =>
    read(() => {
      checkState();
      const key = `${integration}:${skip}:${count}:${before ?? ""}`;
      const cached = slices.get(key);
      if (cached !== undefined) return cached;
      const found = slice(integration, skip, count, before);
      if (count <= maxSliceLength && slices.size < maxSlices) slices.set(key, found);
      return found;
    });
}
