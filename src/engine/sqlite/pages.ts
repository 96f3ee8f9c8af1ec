import type { ReadSlice, Slice, StoredGroup, StoredSenderId } from "../store/store.ts";
import type { Queries, Value } from "./queries.ts";
import { groupColumns, groupOf, senderIdColumns, senderIdOf } from "../store/rows.ts";

/** Returns the store methods for lists, newest records first. */
export function pageMethods(queries: Queries): {
  readonly sliceOfSenderIds: ReadSlice<StoredSenderId>;
  readonly sliceOfGroups: ReadSlice<StoredGroup>;
} {
  return {
    sliceOfSenderIds: slicer(queries, "sender_id", senderIdColumns, senderIdOf),
    sliceOfGroups: slicer(queries, "contact_group", groupColumns, groupOf),
  };
}

/** Maximum number of cached slices, and of records in a cached slice. Any write clears the cache. */
const maxSlices = 64;
const maxSliceLength = 100;

/**
 * Returns a reader of slices. A page that was read since the last write of any process costs next to
 * nothing, and is the same object.
 *
 * @param stored converts a row, which has its values in the order of the columns
 */
function slicer<Values extends readonly Value[], Stored>(
  { row, values, read, state: stateOf }: Queries,
  table: "sender_id" | "contact_group",
  columns: string,
  stored: (values: Values) => Stored,
): ReadSlice<Stored> {
  const total = `SELECT ${table}_total AS total FROM integration WHERE id = ?`;
  const select = `SELECT ${columns} FROM ${table} WHERE integration_id = ?`;
  const next = `${select} AND id < ? ORDER BY id DESC LIMIT ?`;
  const fromNewest = `${select} ORDER BY id DESC LIMIT ? OFFSET ?`;
  const fromOldest = `${select} ORDER BY id ASC LIMIT ? OFFSET ?`;

  /** The state of the database that the cached slices show. */
  let state = "";
  const slices = new Map<string, Slice<Stored>>();

  function slice(
    integration: number,
    skip: number,
    count: number,
    before: number | undefined,
  ): Slice<Stored> {
    const all = row<{ total: number }>(total, integration)?.total ?? 0;
    if (before !== undefined) {
      const found = values<Values>(next, integration, before, count);
      return { items: found.map(stored), total: all };
    }
    const length = Math.min(count, all - skip);
    if (length <= 0) return { items: [], total: all };
    const found = fromNearerEnd(integration, skip, length, all);
    return { items: found.map(stored), total: all };
  }

  /** Reads a page in the second half from the oldest record on, because skipping takes time per record. */
  function fromNearerEnd(integration: number, skip: number, length: number, all: number): Values[] {
    const fromEnd = all - skip - length;
    return skip <= fromEnd
      ? values<Values>(fromNewest, integration, length, skip)
      : values<Values>(fromOldest, integration, length, fromEnd).toReversed();
  }

  return (integration, skip, count, before) =>
    read(() => {
      const current = stateOf();
      if (current !== state) slices.clear();
      state = current;
      const key = `${integration}:${skip}:${count}:${before ?? ""}`;
      const cached = slices.get(key);
      if (cached !== undefined) return cached;
      const found = slice(integration, skip, count, before);
      if (count <= maxSliceLength && slices.size < maxSlices) slices.set(key, found);
      return found;
    });
}
