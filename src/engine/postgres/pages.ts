import type { Slice } from "../store/store.ts";
import { allIds, ofIntegration } from "./conditions.ts";
import type { Queries } from "./queries.ts";

/** A table of records that is listed in pages. */
export interface Listed<Row, Item> {
  readonly table: "sender_id" | "contact_group";
  readonly columns: string;
  readonly stored: (row: Row) => Item;
}

/** Reads up to $3 records: those with ids below $2, or those after $2 newer records. */
function partOf({ table, columns }: Listed<never, unknown>, isBelow: boolean): string {
  return `
    SELECT ${columns} FROM ${table} WHERE ${ofIntegration(isBelow ? "$2" : allIds)}
    ORDER BY integration_id DESC, id DESC LIMIT $3${isBelow ? "" : " OFFSET $2"}`;
}

/** Creates a reader of pages. One statement reads a page and its total, so that they are consistent. */
export function createPages({ select }: Queries) {
  return async <Row extends { readonly id: number }, Item>(
    listed: Listed<Row, Item>,
    integration: number,
    skip: number,
    count: number,
    before?: number,
  ): Promise<Slice<Item>> => {
    const found = await select<Row & { readonly total: number; readonly id: number | null }>(
      `SELECT list.total, page.*
       FROM (SELECT ${listed.table}_total AS total FROM integration WHERE id = $1) AS list
         LEFT JOIN LATERAL (${partOf(listed, before !== undefined)}) AS page ON true`,
      integration,
      before ?? skip,
      count,
    );
    // An empty page is one row of nulls with the total.
    const items = found.filter(({ id }) => id !== null).map(listed.stored);
    return { items, total: found[0]?.total ?? 0 };
  };
}
