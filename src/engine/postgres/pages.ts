import type { Slice } from "../store.ts";
import type { Queries } from "./queries.ts";

/** A list of an integration's records, and how they are read. */
export interface Listed<Row, Item> {
  readonly table: "sender_id" | "contact_group";
  readonly columns: string;
  readonly stored: (row: Row) => Item;
}

/** Where a page is begun to be read: from one end, or after a record that was there a moment ago. */
type From =
  | { readonly end: "newest" | "oldest"; readonly offset: number }
  | { readonly before: number; readonly offset: number };

/** What a read of a page finds beside it, whether or not there are records on it. */
interface State {
  readonly total: number;
  /** Rises with every record that comes or goes. */
  readonly changes: number;
}

/** Records that are rather skipped than asked about. */
const maxSkipped = 1000;

/** How prepared others may get in between two reads, before it is read in one. */
const maxAttempts = 3;

/**
 * Pages, each in one statement with its total, so that they belong together. Skipping takes time by the
 * record, so a page is read from where it is near: from either end, or from where another page ended, as
 * long as no record has come or gone since.
 */
export function createPages({ rows }: Queries) {
  /** The end of the last page of each list. */
  const ends = new Map<string, { changes: number; skip: number; id: number }>();

  async function read<Row>(
    { table, columns }: Listed<Row, unknown>,
    integration: number,
    count: number,
    from: From,
    changes: number | null,
  ): Promise<{ readonly state: State | undefined; readonly found: Row[] }> {
    const order = "end" in from && from.end === "oldest" ? "ASC" : "DESC";
    const text = `
      SELECT one.${table}_total AS total, one.${table}_changes AS changes, page.*
      FROM integration AS one LEFT JOIN LATERAL (
        SELECT ${columns} FROM ${table}
        WHERE integration_id = one.id AND id < $2 AND ($3::bigint IS NULL OR one.${table}_changes = $3)
        ORDER BY id ${order} LIMIT $4 OFFSET $5
      ) AS page ON true
      WHERE one.id = $1`;
    const before = "before" in from ? from.before : Number.MAX_SAFE_INTEGER;
    const values = [integration, before, changes, count, from.offset];
    const all = await rows<Row & State & { readonly id: number | null }>(text, ...values);
    const [first] = all;
    if (first === undefined) return { state: undefined, found: [] };
    const { total, changes: now } = first;
    const found = first.id === null ? [] : all;
    if (order === "ASC") found.reverse();
    return { state: { total, changes: now }, found };
  }

  async function stateOf(table: string, integration: number): Promise<State | undefined> {
    const [state] = await rows<State>(
      `SELECT ${table}_total AS total, ${table}_changes AS changes FROM integration WHERE id = $1`,
      integration,
    );
    return state;
  }

  return async <Row extends { readonly id: number }, Item>(
    listed: Listed<Row, Item>,
    integration: number,
    skip: number,
    count: number,
  ): Promise<Slice<Item>> => {
    const list = `${listed.table} ${integration}`;
    const told = (state: State | undefined, found: readonly Row[]): Slice<Item> => {
      const last = found.at(-1);
      if (state !== undefined && last !== undefined) {
        ends.set(list, { changes: state.changes, skip: skip + found.length, id: last.id });
      }
      return { items: found.map(listed.stored), total: state?.total ?? 0 };
    };
    for (let left = skip > maxSkipped ? maxAttempts : 0; left > 0; left -= 1) {
      const end = ends.get(list);
      let from: From;
      let changes: number;
      let length = count;
      if (end !== undefined && end.skip <= skip && skip - end.skip <= maxSkipped) {
        from = { before: end.id, offset: skip - end.skip };
        changes = end.changes;
      } else {
        const state = await stateOf(listed.table, integration);
        if (state === undefined || skip >= state.total) return told(state, []);
        length = Math.min(count, state.total - skip);
        const fromEnd = state.total - skip - length;
        from =
          skip <= fromEnd ? { end: "newest", offset: skip } : { end: "oldest", offset: fromEnd };
        changes = state.changes;
      }
      const { state, found } = await read(listed, integration, length, from, changes);
      if (state === undefined || state.changes === changes) return told(state, found);
      ends.delete(list);
    }
    const from: From = { end: "newest", offset: skip };
    const { state, found } = await read(listed, integration, count, from, null);
    return told(state, found);
  };
}
