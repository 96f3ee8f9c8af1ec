import type { ReadSlice, RecordStore } from "../store/store.ts";
import {
  groupColumns,
  senderIdColumns,
  storedGroup,
  storedSenderId,
} from "../store/shared-methods.ts";
import type { Queries } from "./queries.ts";

/** Returns the store methods for lists, newest records first. */
export function pageMethods(
  queries: Queries,
): Pick<RecordStore, "sliceOfSenderIds" | "sliceOfGroups"> {
  return {
    sliceOfSenderIds: slicer(queries, "sender_id", senderIdColumns, storedSenderId),
    sliceOfGroups: slicer(queries, "contact_group", groupColumns, storedGroup),
  };
}

/** Returns a reader of slices. One statement reads a slice and its total, so that they are consistent. */
function slicer<Row extends { readonly id: number }, Stored>(
  { select }: Queries,
  table: "sender_id" | "contact_group",
  columns: string,
  stored: (row: Row) => Stored,
): ReadSlice<Stored> {
  return async (integration, skip, count, before) => {
    const isBelow = before !== undefined;
    const found = await select<Row & { readonly total: number; readonly id: number | null }>(
      `SELECT list.total, page.*
       FROM (SELECT ${table}_total AS total FROM integration WHERE id = $1) AS list
         LEFT JOIN LATERAL (
           SELECT ${columns} FROM ${table} WHERE integration_id = $1${isBelow ? " AND id < $2" : ""}
           ORDER BY integration_id DESC, id DESC LIMIT $3${isBelow ? "" : " OFFSET $2"}
         ) AS page ON true`,
      integration,
      before ?? skip,
      count,
    );
    // An empty slice is one row of nulls with the total.
    const items = found.filter(({ id }) => id !== null).map(stored);
    return { items, total: found[0]?.total ?? 0 };
  };
}
