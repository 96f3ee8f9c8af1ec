import type {
  GroupKey,
  GroupUpdate,
  Microseconds,
  NewGroup,
  ReadSlice,
  RecordStore,
  SenderIdKey,
  Slice,
  StoredGroup,
  StoredSenderId,
} from "../store/store.ts";
import {
  givenGroupColumns,
  groupColumns,
  senderIdColumns,
  storedGroup,
  type GroupRow,
} from "../store/rows.ts";
import { isStorable, recordReads } from "../store/shared-methods.ts";
import type { Queries, Value } from "./queries.ts";

const by = (column: "id" | "uuid"): string =>
  `SELECT ${groupColumns} FROM contact_group WHERE ${column} = ? AND integration_id = ?`;
const [byId, byUuid] = [by("id"), by("uuid")];

/** A statement that finds a group, with its values. */
export type GroupStatement = readonly [sql: string, id: number | string, integration: number];

/** Returns the statement that finds a group of an integration. */
export function groupBy(integration: number, key: GroupKey): GroupStatement {
  return "id" in key ? [byId, key.id, integration] : [byUuid, key.uuid, integration];
}

export function findGroup(
  { row }: Queries,
  integration: number,
  key: GroupKey,
): GroupRow | undefined {
  return row(...groupBy(integration, key));
}

const insertGroup = `
  INSERT INTO contact_group (integration_id, uuid, created_at, sender_id, ${givenGroupColumns.join()})
  VALUES (?, ?, ?, ?, ${givenGroupColumns.map(() => "?").join()})`;

const senderIdByName = `
  SELECT ${senderIdColumns} FROM sender_id WHERE integration_id = ? AND name = ?`;

/** The flag before the sender ID says whether to change it. */
const updateGroupById = `
  UPDATE contact_group
  SET ${givenGroupColumns.map((column) => `${column} = ?`).join()}, sender_id = iif(?, ?, sender_id)
  WHERE id = ?`;

/** An id that no group has. */
const noGroup = 0;

/** Returns the values in the order of `givenGroupColumns`. */
function givenValues(group: NewGroup): Value[] {
  return givenGroupColumns.map((column) => {
    const value = group[column];
    return typeof value === "boolean" ? Number(value) : value;
  });
}

function findSenderId(
  { row }: Queries,
  integration: number,
  name: string,
): StoredSenderId | undefined {
  return isStorable(name) ? row(senderIdByName, integration, name) : undefined;
}

/** Ruling 14: finds a sender ID by name or, failing that, by id. Undefined if it does not exist. */
function lookUpSender(
  queries: Queries,
  integration: number,
  key: SenderIdKey,
): number | null | undefined {
  const { name, id, isOptional } = key;
  const byName = name === undefined ? undefined : findSenderId(queries, integration, name);
  const found =
    byName === undefined && id !== undefined
      ? queries.row<{ id: number }>(
          "SELECT id FROM sender_id WHERE integration_id = ? AND id = ?",
          integration,
          id,
        )
      : byName;
  return found === undefined && isOptional === true ? null : found?.id;
}

/** Returns whether another group has this name. @param own id of the group that may have it */
function isTaken({ row }: Queries, integration: number, name: string, own: number): boolean {
  const sql =
    "SELECT id FROM contact_group WHERE integration_id = ? AND name = ? AND id <> ? LIMIT 1";
  return row(sql, integration, name, own) !== undefined;
}

function updateGroup(
  queries: Queries,
  integration: number,
  key: GroupKey,
  update: GroupUpdate,
  hasUniqueName: boolean,
): StoredGroup | "no group" | "name taken" | "no sender ID" {
  const found = findGroup(queries, integration, key);
  if (found === undefined) return "no group";
  const { sender_id, ...changed } = update;
  if (
    hasUniqueName &&
    update.name !== undefined &&
    isTaken(queries, integration, update.name, found.id)
  ) {
    return "name taken";
  }
  const isSet = sender_id !== undefined;
  const sender = isSet && sender_id !== null ? lookUpSender(queries, integration, sender_id) : null;
  if (sender === undefined) return "no sender ID";
  const after: StoredGroup = { ...storedGroup(found), ...changed };
  queries.changes(updateGroupById, ...givenValues(after), Number(isSet), sender, after.id);
  return after;
}

/** Returns the store methods for sender IDs and groups. */
export function recordMethods(queries: Queries): RecordStore {
  const { row, changes, insert, write, reserveTimes } = queries;
  return {
    ...recordReads(queries, "integration_id = $1"),
    sliceOfSenderIds: slicer(queries, "sender_id", senderIdColumns, senderIdOf),
    sliceOfGroups: slicer(queries, "contact_group", groupColumns, groupOf),

    insertSenderId: (integration, { name, purpose, status }) =>
      write(() => {
        if (findSenderId(queries, integration, name) !== undefined) return undefined;
        const created_at = reserveTimes(1);
        const id = insert(
          `INSERT INTO sender_id (integration_id, name, purpose, status, created_at)
           VALUES (?, ?, ?, ?, ?)`,
          integration,
          name,
          purpose,
          status,
          created_at,
        );
        return { id, name, purpose, status, created_at };
      }),

    deleteSenderId: (integration, name) =>
      write(() => {
        const sql = "DELETE FROM sender_id WHERE integration_id = ? AND name = ?";
        return isStorable(name) && changes(sql, integration, name) > 0;
      }),

    insertGroup: (integration, group, sender = null, hasUniqueName = false) =>
      write(() => {
        if (hasUniqueName && isTaken(queries, integration, group.name, noGroup))
          return "name taken";
        const senderId = sender === null ? null : lookUpSender(queries, integration, sender);
        if (senderId === undefined) return "no sender ID";
        const created_at = reserveTimes(1);
        const uuid = uuidAt(created_at, row<{ digits: string }>(randomDigits)!.digits);
        const given = givenValues(group);
        const id = insert(insertGroup, integration, uuid, created_at, senderId, ...given);
        return { id, uuid, ...group, contacts_count: 0, created_at };
      }),

    updateGroup: (integration, key, update, hasUniqueName = false) =>
      write(() => updateGroup(queries, integration, key, update, hasUniqueName)),

    deleteGroup: (integration, key) =>
      write(() => {
        const found = findGroup(queries, integration, key);
        if (found === undefined) return false;
        return changes("DELETE FROM contact_group WHERE id = ?", found.id) > 0;
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
  const timeDigits = Math.floor(time / 1000)
    .toString(16)
    .padStart(12, "0")
    .slice(-12);
  const variant = "89ab"[Number.parseInt(digits[0]!, 16) % 4]!;
  return `${timeDigits.slice(0, 8)}-${timeDigits.slice(8)}-4${digits.slice(1, 4)}-${variant}${digits.slice(4, 7)}-${digits.slice(8)}`;
}

/** Maximum number of cached slices, and of records in a cached slice. Any write clears the cache. */
const maxSlices = 64;
const maxSliceLength = 100;

/** Returns the record of a row in the order of the columns: for long lists, arrays are faster than objects. */
const senderIdOf = ([id, name, purpose, status, created_at]: Value[]): StoredSenderId =>
  ({ id, name, purpose, status, created_at }) as StoredSenderId;

/** Returns the record of such a row. */
const groupOf = ([id, uuid, name, birthday, holiday, message, count, created_at]: Value[]) =>
  storedGroup({
    id,
    uuid,
    name,
    send_birthday: birthday,
    send_holiday: holiday,
    birthday_message: message,
    contacts_count: count,
    created_at,
  } as GroupRow);

/**
 * Returns a reader of slices. A page that was read since the last write of any process costs next to
 * nothing, and is the same object.
 *
 * @param stored returns the record of a row, which has its values in the order of the columns
 */
function slicer<Stored>(
  { row, values, read, state: stateOf }: Queries,
  table: "sender_id" | "contact_group",
  columns: string,
  stored: (row: Value[]) => Stored,
): ReadSlice<Stored> {
  const total = `SELECT ${table}_total AS total FROM integration WHERE id = ?`;
  const select = `SELECT ${columns} FROM ${table} WHERE integration_id = ?`;
  const next = `${select} AND id < ? ORDER BY id DESC LIMIT ?`;
  const bySkip = `${select} ORDER BY id DESC LIMIT ? OFFSET ?`;
  /** The state of the database that the cached slices show. */
  let state = "";
  const slices = new Map<string, Slice<Stored>>();

  function slice(integration: number, skip: number, count: number, before?: number): Slice<Stored> {
    const all = row<{ total: number }>(total, integration)?.total ?? 0;
    // SQLite would read the whole list to find out that a page is behind its end.
    if (before === undefined && skip >= all) return { items: [], total: all };
    const found =
      before === undefined
        ? values(bySkip, integration, count, skip)
        : values(next, integration, before, count);
    return { items: found.map(stored), total: all };
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
