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
  /** Returns whether a record with this id or name was deleted. */
  readonly wasDeleted: (key: string) => boolean;
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
  { firstId, totalLag, listLag, totalShortBy }: Switches,
  now: () => number,
  keysOf: (row: Row) => readonly (string | null)[],
): Table<Row> {
  let rows: readonly Row[] = [];
  let nextId = firstId;
  let lists = 0;
  const deleted = new Set<string>();
  /** By id: the first list request that shows a record. */
  const listedFrom = new Map<bigint, number>();
  /** Record counts, each valid from a list request on. */
  const counts: { readonly from: number; readonly count: number }[] = [{ from: 0, count: 0 }];
  const change = (changed: readonly Row[]): void => {
    rows = changed;
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
      rows = rows.map((old) => (old.id === row.id ? row : old));
    },
    remove: (row) => {
      for (const key of keysOf(row)) if (key !== null) deleted.add(key);
      change(rows.filter(({ id }) => id !== row.id));
    },
    listed: () => rows.filter(({ id }) => listedFrom.get(id)! <= lists),
    settle: () => {
      listedFrom.forEach((_, id) => listedFrom.set(id, lists));
      counts.push({ from: lists, count: rows.length });
    },
    wasDeleted: (key) => deleted.has(key),
    reportedTotal: () => {
      const { count } = counts.findLast(({ from }) => from <= lists)!;
      lists += 1;
      return Math.max(0, count - totalShortBy);
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

/** Finds the sender ID for a name in a path. */
export function findSenderId(
  { senderIds }: Records,
  name: string,
  { lookUp, namesake }: Switches,
): SenderId | undefined {
  const isMatch = (row: SenderId): boolean =>
    row.name === name || (lookUp === "any case" && row.name?.toLowerCase() === name.toLowerCase());
  return namesake === "newest" ? senderIds.rows.findLast(isMatch) : senderIds.rows.find(isMatch);
}

/** Finds the group for an id or uuid in a path. */
export function findGroup(
  { groups }: Records,
  key: string,
  { uuids }: Switches,
): Group | undefined {
  return groups.rows.find(({ id, uuid }) => String(id) === key || (uuids && uuid === key));
}
