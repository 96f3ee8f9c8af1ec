import type { Slice } from "../store.ts";
import { ofIntegration } from "./conditions.ts";
import type { Queries } from "./queries.ts";

/** A table of records that is listed in pages. */
export interface Listed<Row, Item> {
  readonly table: "sender_id" | "contact_group";
  readonly columns: string;
  readonly stored: (row: Row) => Item;
}

/** Where to start reading a page: at one end of the list, or after the last record of an earlier page. */
type Start =
  | { readonly end: "newest" | "oldest"; readonly offset: number }
  | { readonly before: number; readonly offset: number };

/** State of the list when a page was read, known even if the page is empty. */
interface State {
  readonly total: number;
  /** Increases with every insert and delete. */
  readonly changes: number;
}

/** Largest offset that is read directly. Above it, the shortest way to the page is looked up first. */
const maxSkipped = 1000;

/** Attempts that other writers may invalidate between two reads, before the page is read in one statement. */
const maxAttempts = 3;

/**
 * Creates a reader of pages. One statement reads a page and its total, so that they are consistent. An offset
 * costs time for every skipped record, so a page is read from the nearest start: either end of the list, or
 * the end of the last page if no record was inserted or deleted since.
 */
export function createPages({ rows }: Queries) {
  /** Where the last page of each list ended. */
  const ends = new Map<string, { changes: number; skip: number; id: number }>();

  async function read<Row>(
    { table, columns }: Listed<Row, unknown>,
    integration: number,
    count: number,
    start: Start,
    changes: number | null,
  ): Promise<{ readonly state: State | undefined; readonly found: Row[] }> {
    const order = "end" in start && start.end === "oldest" ? "ASC" : "DESC";
    const text = `
      SELECT one.${table}_total AS total, one.${table}_changes AS changes, page.*
      FROM integration AS one LEFT JOIN LATERAL (
        SELECT ${columns} FROM ${table}
        WHERE ${ofIntegration("$2")} AND ($3::bigint IS NULL OR one.${table}_changes = $3)
        ORDER BY integration_id ${order}, id ${order} LIMIT $4 OFFSET $5
      ) AS page ON true
      WHERE one.id = $1`;
    const before = "before" in start ? start.before : Number.MAX_SAFE_INTEGER;
    const values = [integration, before, changes, count, start.offset];
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
    before?: number,
  ): Promise<Slice<Item>> => {
    if (before !== undefined) {
      const start: Start = { before, offset: 0 };
      const { state, found } = await read(listed, integration, count, start, null);
      return { items: found.map(listed.stored), total: state?.total ?? 0 };
    }
    const list = `${listed.table} ${integration}`;
    const sliceOf = (state: State | undefined, found: readonly Row[]): Slice<Item> => {
      const last = found.at(-1);
      if (state !== undefined && last !== undefined) {
        ends.set(list, { changes: state.changes, skip: skip + found.length, id: last.id });
      }
      return { items: found.map(listed.stored), total: state?.total ?? 0 };
    };
    for (let left = skip > maxSkipped ? maxAttempts : 0; left > 0; left -= 1) {
      const end = ends.get(list);
      let start: Start;
      let changes: number;
      let length = count;
      if (end !== undefined && end.skip <= skip && skip - end.skip <= maxSkipped) {
        start = { before: end.id, offset: skip - end.skip };
        changes = end.changes;
      } else {
        const state = await stateOf(listed.table, integration);
        if (state === undefined || skip >= state.total) return sliceOf(state, []);
        length = Math.min(count, state.total - skip);
        const fromEnd = state.total - skip - length;
        start =
          skip <= fromEnd ? { end: "newest", offset: skip } : { end: "oldest", offset: fromEnd };
        changes = state.changes;
      }
      const { state, found } = await read(listed, integration, length, start, changes);
      if (state === undefined || state.changes === changes) return sliceOf(state, found);
      ends.delete(list);
    }
    const start: Start = { end: "newest", offset: skip };
    const { state, found } = await read(listed, integration, count, start, null);
    return sliceOf(state, found);
  };
}
