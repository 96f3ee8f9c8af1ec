import type { Slice } from "../store/store.ts";
import { allIds, ofIntegration } from "./conditions.ts";
import type { Queries } from "./queries.ts";

/** A table of records that is listed in pages. */
export interface Listed<Row, Item> {
  readonly table: "sender_id" | "contact_group";
  readonly columns: string;
  readonly stored: (row: Row) => Item;
}

/** Reads the part of a list after $2 newer records, with up to $3 records, from the nearer end of the list. */
function bySkip({ table, columns }: Listed<never, unknown>): string {
  const select = `SELECT ${columns} FROM ${table} WHERE ${ofIntegration(allIds)}`;
  return `
    (${select} AND 2 * $2::bigint <= list.total ORDER BY integration_id DESC, id DESC LIMIT $3 OFFSET $2)
    UNION ALL
    (${select} AND 2 * $2::bigint > list.total ORDER BY integration_id, id
     LIMIT greatest(0, least($3::bigint, list.total - $2::bigint))
     OFFSET greatest(0, list.total - $2::bigint - $3::bigint))
    ORDER BY id DESC`;
}

/** Reads up to $3 records with ids below $2. */
function byId({ table, columns }: Listed<never, unknown>): string {
  return `
    SELECT ${columns} FROM ${table} WHERE ${ofIntegration("$2")}
    ORDER BY integration_id DESC, id DESC LIMIT $3`;
}

/**
 * Creates a reader of pages. One statement reads a page and its total, so that they are consistent. An offset costs
 * time for every skipped record, so a page in the second half is read from the oldest record on.
 */
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
         LEFT JOIN LATERAL (${before === undefined ? bySkip(listed) : byId(listed)}) AS page ON true`,
      integration,
      before ?? skip,
      count,
    );
    // An empty page is one row of nulls with the total.
    const items = found.filter(({ id }) => id !== null).map(listed.stored);
    return { items, total: found[0]?.total ?? 0 };
  };
}
