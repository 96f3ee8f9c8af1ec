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
  /** As it was sent; the specification does not show it. */
  readonly sender_id: string | null;
  readonly contacts: number;
  /** Milliseconds since 1970. */
  readonly created: number;
}

/** What one kind of record has: its table, in the order of creation. */
export interface Table<Row extends { readonly id: bigint }> {
  readonly rows: readonly Row[];
  readonly add: (row: (id: bigint, created: number) => Row) => Row;
  readonly put: (row: Row) => void;
  readonly remove: (row: Row) => void;
  /** Whether a record with this id, or one that answered to this name, was deleted. */
  readonly wasDeleted: (key: string) => boolean;
  /** Those that a list shows by now. */
  readonly listed: () => readonly Row[];
  /** Lets `listed` and `reportedTotal` be right at once, as if every write were long ago. */
  readonly settle: () => void;
  /** Counts a list request, and returns the total that it reports. */
  readonly reportedTotal: () => number;
}

/**
 * @param now milliseconds since 1970
 * @param keysOf the texts by which a path may mean a record
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
  /** By id: from which list request on a record is listed. */
  const listedFrom = new Map<bigint, number>();
  /** How many records there were from a list request on. */
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

/** @param now milliseconds since 1970 */
export function createRecords(switches: Switches, now: () => number): Records {
  return {
    senderIds: createTable<SenderId>(switches, now, ({ name }) => [name]),
    groups: createTable<Group>(switches, now, ({ id, uuid }) => [String(id), uuid]),
  };
}

/** The uuid of a group, which follows from its id, so that runs can be compared. */
export function uuidOf(id: bigint): string {
  return `00000000-0000-4000-8000-${id.toString(16).padStart(12, "0").slice(-12)}`;
}

/** Returns the sender ID that a name in a path means. */
export function findSenderId(
  { senderIds }: Records,
  name: string,
  { lookUp, namesake }: Switches,
): SenderId | undefined {
  const isMeant = (row: SenderId): boolean =>
    row.name === name || (lookUp === "any case" && row.name?.toLowerCase() === name.toLowerCase());
  return namesake === "newest" ? senderIds.rows.findLast(isMeant) : senderIds.rows.find(isMeant);
}

/** Returns the group that an id (or uuid) in a path means. */
export function findGroup(
  { groups }: Records,
  key: string,
  { uuids }: Switches,
): Group | undefined {
  return groups.rows.find(({ id, uuid }) => String(id) === key || (uuids && uuid === key));
}
