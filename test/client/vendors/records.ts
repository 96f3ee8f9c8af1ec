import type { Switches } from "./switches.ts";

export interface SenderId {
  readonly id: bigint;
  readonly name: string | null;
  readonly purpose: string | null;
  readonly status: string;
  /** Milliseconds since 1970. */
  readonly created: number;
}

export interface Group {
  readonly id: bigint;
  readonly uuid: string;
  readonly name: string | null;
  readonly send_birthday: boolean;
  readonly send_holiday: boolean | null;
  readonly birthday_message: string | null;
  /** As sent; responses do not show it. */
  readonly sender_id: string | null;
  readonly contacts: number;
  /** Milliseconds since 1970. */
  readonly created: number;
}

/** The records of one kind, in order of creation. */
export interface Table<Row extends { readonly id: bigint }> {
  readonly rows: readonly Row[];
  readonly add: (row: (id: bigint, created: number) => Row) => Row;
  readonly put: (row: Row) => void;
  readonly remove: (row: Row) => void;
  /** Returns whether a record with this key in its path was deleted. */
  readonly wasDeleted: (key: string) => boolean;
  /** Returns the records that a fetch shows, which may be behind. */
  readonly replica: () => readonly Row[];
  /** Returns the records that a list currently shows. */
  readonly listed: () => readonly Row[];
  /** Ends all lags of `listed` and `reportedTotal`, as if every write were long ago. */
  readonly settle: () => void;
  /** Counts a list request, and returns its total. */
  readonly reportedTotal: () => number;
}

/**
 * Creates a table.
 *
 * @param now milliseconds since 1970
 * @param keysOf returns the texts that identify a record in a path
 */
function createTable<Row extends { readonly id: bigint }>(
  { firstId, totalLag, listLag, totalShortBy, withoutTotal, replicaLag }: Switches,
  now: () => number,
  keysOf: (row: Row) => readonly (string | null)[],
): Table<Row> {
  let rows: readonly Row[] = [];
  let nextId = firstId;
  let lists = 0;
  const deleted = new Set<string | null>();
  /** By id: the first list request that shows a record. */
  const listedFrom = new Map<bigint, number>();
  /** Record counts, each valid from a list request on. */
  const counts: { readonly from: number; readonly count: number }[] = [{ from: 0, count: 0 }];
  /** The records as they were, from the time of each change on. */
  const states: { readonly at: number; readonly rows: readonly Row[] }[] = [];
  const replica = (): readonly Row[] =>
    replicaLag === 0 ? rows : (states.findLast(({ at }) => at + replicaLag <= now())?.rows ?? []);
  const set = (changed: readonly Row[]): void => {
    rows = changed;
    states.push({ at: now(), rows });
  };
  const change = (changed: readonly Row[]): void => {
    set(changed);
    counts.push({ from: lists + Math.max(totalLag, listLag), count: rows.length });
  };
  return {
    get rows() {
      return rows;
    },
    add: (make) => {
      const row = make(nextId, now());
      nextId += 1n;
      listedFrom.set(row.id, lists + listLag);
      change([...rows, row]);
      return row;
    },
    put: (row) => {
      set(rows.map((old) => (old.id === row.id ? row : old)));
    },
    remove: (row) => {
      for (const key of keysOf(row)) deleted.add(key);
      change(rows.filter(({ id }) => id !== row.id));
    },
    replica,
    listed: () => replica().filter(({ id }) => listedFrom.get(id)! <= lists),
    settle: () => {
      states.push({ at: -Infinity, rows });
      states.splice(0, states.length - 1);
      listedFrom.forEach((_, id) => listedFrom.set(id, lists));
      counts.push({ from: lists, count: rows.length });
    },
    wasDeleted: (key) => deleted.has(key),
    reportedTotal: () => {
      const { count } = counts.findLast(({ from }) => from <= lists)!;
      lists += 1;
      const shown = replicaLag === 0 ? count : Math.min(count, replica().length);
      return Math.max(0, shown - (withoutTotal ? 0 : totalShortBy));
    },
  };
}

export interface Records {
  readonly senderIds: Table<SenderId>;
  readonly groups: Table<Group>;
}

/** Creates empty tables. @param now milliseconds since 1970 */
export function createRecords(switches: Switches, now: () => number): Records {
  return {
    senderIds: createTable<SenderId>(switches, now, ({ name }) => [name]),
    groups: createTable<Group>(switches, now, ({ id, uuid }) => [String(id), uuid]),
  };
}

/** Derives the uuid of a group from its id, so that runs can be compared. */
export function uuidOf(id: bigint): string {
  return `00000000-0000-4000-abcd-${id.toString(16).padStart(12, "0").slice(-12)}`;
}

/** Values of a new group, and of omitted fields if PUT replaces the record. */
export const initial = {
  send_birthday: false,
  send_holiday: null,
  birthday_message: null,
  sender_id: null,
} as const;

const firstCreated = Date.UTC(2026, 0, 31, 8);

export interface Seed {
  readonly senderIds?: readonly (Partial<SenderId> & { readonly name: string })[];
  readonly groups?: readonly (Partial<Group> & { readonly name: string })[];
}

/** Adds records that are older than any request, at intervals of a second. */
export function plant(records: Records, { senderIds = [], groups = [] }: Seed): void {
  for (const [index, row] of senderIds.entries()) {
    const created = firstCreated + index * 1000;
    const usual = { purpose: "Order updates", status: "PENDING" };
    records.senderIds.add((id) => ({ ...usual, ...row, id, created }));
  }
  for (const [index, row] of groups.entries()) {
    const created = firstCreated + index * 1000;
    const usual = { ...initial, contacts: 0 };
    records.groups.add((id) => ({ ...usual, ...row, id, uuid: uuidOf(id), created }));
  }
  records.senderIds.settle();
  records.groups.settle();
}
