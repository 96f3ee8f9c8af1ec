import type { RecordStore } from "../store/store.ts";
import {
  type GroupKey,
  type GroupUpdate,
  type Microseconds,
  type NewGroup,
  type ReadSlice,
  type SenderIdKey,
  type Slice,
  type StoredGroup,
  givenGroupColumns,
  groupColumns,
  senderIdColumns,
} from "../store/stored.ts";
import { isStorable, recordReads } from "../store/shared-methods.ts";
import type { Queries, Value } from "./queries.ts";

/** A statement that finds a group, with its values. */
export type GroupStatement = readonly [sql: string, id: number | string, integration: number];

/** Returns the statement that finds a group of an integration. */
export function groupBy(integration: number, key: GroupKey): GroupStatement {
  const [column, value] = "id" in key ? (["id", key.id] as const) : (["uuid", key.uuid] as const);
  const sql = `SELECT ${groupColumns} FROM contact_group WHERE ${column} = ? AND integration_id = ?`;
  return [sql, value, integration];
}

export function findGroup({ row }: Queries, integration: number, key: GroupKey) {
  return row<StoredGroup>(...groupBy(integration, key));
}

const insertSenderId = `
  INSERT INTO sender_id (integration_id, name, purpose, status, created_at) VALUES (?, ?, ?, ?, ?)`;

const insertGroup = `
  INSERT INTO contact_group (integration_id, uuid, created_at, sender_id, ${givenGroupColumns.join()})
  VALUES (?, ?, ?, ?, ${givenGroupColumns.map(() => "?").join()})`;

/** The flag before the sender ID says whether to change it. */
const updateGroupById = `
  UPDATE contact_group
  SET ${givenGroupColumns.map((column) => `${column} = ?`).join()}, sender_id = iif(?, ?, sender_id)
  WHERE id = ?`;

/** Returns the values in the order of `givenGroupColumns`. */
function givenValues(group: NewGroup): Value[] {
  return givenGroupColumns.map((column) => {
    const value = group[column];
    return typeof value === "boolean" ? Number(value) : value;
  });
}

/** Ruling 14: finds a sender ID by name or, failing that, by id. */
const senderIdByKey = `
  SELECT coalesce((SELECT id FROM sender_id WHERE integration_id = ? AND name = ?),
    (SELECT id FROM sender_id WHERE integration_id = ? AND id = ?)) AS id`;

/** Returns the id of a sender ID; undefined if it does not exist, null if none or optional. */
function lookUpSender(
  { row }: Queries,
  integration: number,
  key: SenderIdKey | null,
): number | null | undefined {
  if (key === null) return null;
  const { name = "", id = null, isOptional } = key;
  const storable = isStorable(name) ? name : null;
  const found = row<{ id: number | null }>(senderIdByKey, integration, storable, integration, id);
  return found!.id ?? (isOptional === true ? null : undefined);
}

/** Returns whether another group has this name. @param own id of a group to skip (default: none) */
function isTaken({ row }: Queries, integration: number, name: string, own = 0): boolean {
  const others = "integration_id = ? AND name = ? AND id <> ?";
  const sql = `SELECT 1 FROM contact_group WHERE ${others} LIMIT 1`;
  return row(sql, integration, name, own) !== undefined;
}

function updateGroup(
  queries: Queries,
  found: StoredGroup,
  integration: number,
  { sender_id, ...changed }: GroupUpdate,
  hasUniqueName: boolean,
): StoredGroup | "name taken" | "no sender ID" {
  const { name } = changed;
  if (hasUniqueName && name !== undefined && isTaken(queries, integration, name, found.id)) {
    return "name taken";
  }
  const isSet = Number(sender_id !== undefined);
  const sender = lookUpSender(queries, integration, sender_id ?? null);
  if (sender === undefined) return "no sender ID";
  const after: StoredGroup = { ...found, ...changed };
  queries.changes(updateGroupById, ...givenValues(after), isSet, sender, after.id);
  return after;
}

/** Returns the store methods for sender IDs and groups. */
export function recordMethods(queries: Queries): RecordStore {
  const { row, changes, insert, write, reserveTimes } = queries;
  return {
    ...recordReads(queries, "integration_id = $1"),
    sliceOfSenderIds: slicer(queries, "sender_id", senderIdColumns),
    sliceOfGroups: slicer(queries, "contact_group", groupColumns),

    insertSenderId: (integration, { name, purpose, status }) =>
      write(() => {
        const taken = "SELECT 1 FROM sender_id WHERE integration_id = ? AND name = ?";
        if (row(taken, integration, name) !== undefined) return undefined;
        const created_at = reserveTimes(1);
        const id = insert(insertSenderId, integration, name, purpose, status, created_at);
        return { id, name, purpose, status, created_at };
      }),

    deleteSenderId: (integration, name) =>
      write(() => {
        const sql = "DELETE FROM sender_id WHERE integration_id = ? AND name = ?";
        return isStorable(name) && changes(sql, integration, name) > 0;
      }),

    insertGroup: (integration, group, sender = null, hasUniqueName = false) =>
      write(() => {
        if (hasUniqueName && isTaken(queries, integration, group.name)) return "name taken";
        const senderId = lookUpSender(queries, integration, sender);
        if (senderId === undefined) return "no sender ID";
        const created_at = reserveTimes(1);
        const uuid = uuidAt(created_at, row<{ digits: string }>(randomDigits)!.digits);
        const given = givenValues(group);
        const id = insert(insertGroup, integration, uuid, created_at, senderId, ...given);
        return { id, uuid, ...group, contacts_count: 0, created_at };
      }),

    updateGroup: (integration, key, update, hasUniqueName = false) =>
      write(() => {
        const found = findGroup(queries, integration, key);
        if (found === undefined) return "no group";
        return updateGroup(queries, found, integration, update, hasUniqueName);
      }),

    deleteGroup: (integration, key) =>
      write(() => {
        const id = findGroup(queries, integration, key)?.id;
        return id !== undefined && changes("DELETE FROM contact_group WHERE id = ?", id) > 0;
      }),
  };
}

/**
 * SQLite takes its random bytes from the system, as Node does. Loading Node's crypto module takes 2
 * ms, which is longer than creating a group.
 */
const randomDigits = "SELECT lower(hex(randomblob(10))) AS digits";

/**
 * Returns a version 4 uuid that begins with the time in milliseconds; the rest is random. Records
 * created together are then adjacent in the index of uuids: 50 groups in a transaction change one
 * page of it instead of 50, which doubles the rate of durable creates.
 *
 * @param digits 20 random hexadecimal digits in lower case
 */
function uuidAt(time: Microseconds, digits: string): string {
  const hex = Math.floor(time / 1000).toString(16);
  const [start, middle] = [hex.padStart(12, "0").slice(-12, -4), hex.slice(-4)];
  const variant = "89ab"[Number.parseInt(digits[0]!, 16) % 4]!;
  return `${start}-${middle}-4${digits.slice(1, 4)}-${variant}${digits.slice(4, 7)}-${digits.slice(8)}`;
}

/** Maximum number of cached slices, and of records in one. Any write clears the cache. */
const maxSlices = 64;
const maxSliceLength = 100;

/**
 * Returns a reader of slices. A page that was read since the last write of any process costs next
 * to nothing, and is the same object.
 */
function slicer<Stored>(
  { row, rows, read, state: stateOf }: Queries,
  table: "sender_id" | "contact_group",
  columns: string,
): ReadSlice<Stored> {
  const total = `SELECT ${table}_total AS total FROM integration WHERE id = ?`;
  const select = `
    SELECT ${columns} FROM ${table} WHERE integration_id = ? AND id < ?
    ORDER BY id DESC LIMIT ? OFFSET ?`;
  /** The state of the database that the cached slices show. */
  let state = "";
  const slices = new Map<string, Slice<Stored>>();

  function slice(integration: number, skip: number, count: number, before?: number): Slice<Stored> {
    const all = row<{ total: number }>(total, integration)?.total ?? 0;
    const [end, offset] = before === undefined ? [Number.MAX_SAFE_INTEGER, skip] : [before, 0];
    // SQLite would read the whole list to find out that a page is behind its end.
    if (offset >= all) return { items: [], total: all };
    return { items: rows(select, integration, end, count, offset), total: all };
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
