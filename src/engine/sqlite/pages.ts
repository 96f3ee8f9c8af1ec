import type { Slice, StoredGroup, StoredSenderId } from "../store.ts";
import type { Queries, Value } from "./queries.ts";
import {
  groupColumns,
  groupOf,
  senderIdColumns,
  senderIdOf,
  type GroupValues,
  type SenderIdValues,
} from "../rows.ts";

/** A list that is read page by page: what its records are in the database. */
interface Listed<Values extends readonly Value[], Stored> {
  readonly table: "sender_id" | "contact_group";
  readonly columns: string;
  /** @param values in the order of the columns, the id first */
  readonly stored: (values: Values) => Stored;
}

type SliceOf<Stored> = (integration: number, skip: number, count: number) => Promise<Slice<Stored>>;

/** The newest first. */
export function pageMethods(queries: Queries): {
  readonly sliceOfSenderIds: SliceOf<StoredSenderId>;
  readonly sliceOfGroups: SliceOf<StoredGroup>;
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

/** So many slices of so many records are kept, as long as nothing is written. */
const mostKept = 64;
const longestKept = 100;

/**
 * Every page costs what the first does, as long as pages are read in turn; one that was read since the
 * last write, of this process or of another, costs next to nothing, and is the same object.
 */
function slicer<Values extends readonly Value[], Stored>(
  { row, values, read, state: stateOf }: Queries,
  { table, columns, stored }: Listed<Values, Stored>,
): SliceOf<Stored> {
  const total = `SELECT ${table}_total AS total FROM integration WHERE id = ?`;
  const select = `SELECT ${columns} FROM ${table} WHERE integration_id = ?`;
  const next = `${select} AND id < ? ORDER BY id DESC LIMIT ?`;
  const fromNewest = `${select} ORDER BY id DESC LIMIT ? OFFSET ?`;
  const fromOldest = `${select} ORDER BY id ASC LIMIT ? OFFSET ?`;

  /** What the database was when the rest of this was read. */
  let state = "";
  let kept = new Map<string, Slice<Stored>>();
  /** Where the last page ended: whoever reads a list reads on from there. */
  let end: { readonly integration: number; readonly skip: number; readonly id: number } | undefined;

  /** Forgets what is not so any more. */
  function lookAtState(): void {
    const now = stateOf();
    if (now === state) return;
    state = now;
    kept = new Map();
    end = undefined;
  }

  function slice(integration: number, skip: number, count: number): Slice<Stored> {
    const all = row<{ total: number }>(total, integration)?.total ?? 0;
    const length = Math.min(count, all - skip);
    if (length <= 0) return { items: [], total: all };
    const isNext = end?.integration === integration && end.skip === skip;
    const found = isNext
      ? values<Values>(next, integration, end!.id, length)
      : fromNearerEnd(integration, skip, length, all);
    const last = found.at(-1);
    if (last !== undefined) {
      end = { integration, skip: skip + found.length, id: last[0] as number };
    }
    return { items: found.map((one) => stored(one)), total: all };
  }

  /** Skipping takes time by the record, so a page in the second half is read from the oldest on. */
  function fromNearerEnd(integration: number, skip: number, length: number, all: number): Values[] {
    const fromEnd = all - skip - length;
    return skip <= fromEnd
      ? values<Values>(fromNewest, integration, length, skip)
      : values<Values>(fromOldest, integration, length, fromEnd).toReversed();
  }

  return (integration, skip, count) =>
    read(() => {
      lookAtState();
      const name = `${integration}:${skip}:${count}`;
      const known = kept.get(name);
      if (known !== undefined) return known;
      const found = slice(integration, skip, count);
      if (count <= longestKept && kept.size < mostKept) kept.set(name, found);
      return found;
    });
}
