import type {
  GroupKey,
  GroupUpdate,
  Microseconds,
  NewGroup,
  RecordStore,
  SenderIdKey,
  Store,
  StoredGroup,
} from "../store/store.ts";
import {
  givenGroupColumns,
  storedGroup,
  storedSenderId,
  senderIdColumns,
  type SenderIdRow,
} from "../store/rows.ts";
import { contactMethods } from "./contacts.ts";
import { integrationMethods } from "./integrations.ts";
import {
  openDatabase,
  openEmptyDatabase,
  type Database,
  type OpenOptions,
} from "./connection/open.ts";
import { pageMethods } from "./pages.ts";
import { uuidsFrom } from "./uuids.ts";
import { isStorable, reviewMethods } from "../store/shared-methods.ts";
import { findGroup } from "./find-group.ts";
import { createQueries, type Queries, type Value } from "./queries.ts";
import { seedMethods } from "./seeding.ts";

/**
 * Opens the Store on the SQLite database at `file`, an absolute path. Creates a missing database.
 *
 * @param now returns the current time, in microseconds since 1970
 * @throws SendctlError "database" if the file cannot be used
 */
export function openSqliteStore(
  file: string,
  now: () => Microseconds,
  options: Pick<OpenOptions, "timeout" | "migrates"> = {},
): Store {
  return storeOn((creates) => openDatabase(file, { ...options, creates }), file, now);
}

/** Opens a Store on an empty database in memory, for reads while no file exists. */
export function openEmptyStore(file: string, now: () => Microseconds): Store {
  return storeOn(openEmptyDatabase, file, now);
}

function storeOn(
  open: (creates: boolean) => Database,
  file: string,
  now: () => Microseconds,
): Store {
  const queries = createQueries(open(true), file, now);
  return {
    ...pageMethods(queries),
    ...recordMethods(queries),
    ...integrationMethods(queries),
    ...contactMethods(queries, file, () => open(false)),
    ...reviewMethods(queries, (subquery) => `IN (${subquery})`),
    ...seedMethods(queries),
    checkHealth: () =>
      queries.read(() => {
        queries.refuseReplaced();
        // Every table is read, and no more than a page of it.
        queries.row(
          "SELECT (SELECT id FROM sender_id WHERE id = 0), (SELECT id FROM contact_group WHERE id = 0) FROM clock",
        );
      }),
    activity: queries.activity,
    // SQLite itself waits for locks.
    onRetry: () => {},
    close: queries.close,
  };
}

const insertGroup = `
  INSERT INTO contact_group (integration_id, uuid, created_at, ${givenGroupColumns.join()})
  VALUES (?, ?, ?, ${givenGroupColumns.map(() => "?").join()})`;

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

/** Returns the store methods for sender IDs and groups. */
function recordMethods(queries: Queries): Omit<RecordStore, keyof ReturnType<typeof pageMethods>> {
  const { read, row, changes, insert, write, reserveTimes } = queries;
  const newUuid = uuidsFrom(
    (bytes) => row<{ digits: string }>("SELECT lower(hex(randomblob(?))) AS digits", bytes)!.digits,
  );

  function findSenderId(integration: number, name: string): SenderIdRow | undefined {
    return isStorable(name) ? row(senderIdByName, integration, name) : undefined;
  }

  /** Ruling 14: finds a sender ID by name or, failing that, by id. Undefined if it does not exist. */
  function senderIdOf(integration: number, key: SenderIdKey): number | null | undefined {
    const { name, id, isOptional } = key;
    const byName = name === undefined ? undefined : findSenderId(integration, name);
    const found =
      byName === undefined && id !== undefined
        ? row<{ id: number }>(
            "SELECT id FROM sender_id WHERE integration_id = ? AND id = ?",
            integration,
            id,
          )
        : byName;
    return found === undefined && isOptional === true ? null : found?.id;
  }

  /** Returns whether another group has this name. @param own id of the group that may have it */
  function isTaken(integration: number, name: string, own: number): boolean {
    const sql =
      "SELECT id FROM contact_group WHERE integration_id = ? AND name = ? AND id <> ? LIMIT 1";
    return row(sql, integration, name, own) !== undefined;
  }

  function insertOne(integration: number, group: NewGroup): StoredGroup {
    const created_at = reserveTimes(1);
    const uuid = newUuid(created_at);
    const id = insert(insertGroup, integration, uuid, created_at, ...givenValues(group));
    return { id, uuid, ...group, contacts_count: 0, created_at };
  }

  function updateGroup(
    integration: number,
    key: GroupKey,
    update: GroupUpdate,
    hasUniqueName: boolean,
  ): StoredGroup | "no group" | "name taken" | "no sender ID" {
    const found = findGroup(queries, integration, key);
    if (found === undefined) return "no group";
    const { sender_id, ...changed } = update;
    if (hasUniqueName && update.name !== undefined && isTaken(integration, update.name, found.id)) {
      return "name taken";
    }
    const isSet = sender_id !== undefined;
    const sender = isSet && sender_id !== null ? senderIdOf(integration, sender_id) : null;
    if (sender === undefined) return "no sender ID";
    const after: StoredGroup = { ...storedGroup(found), ...changed };
    changes(updateGroupById, ...givenValues(after), Number(isSet), sender, after.id);
    return after;
  }

  return {
    insertSenderId: (integration, { name, purpose, status }) =>
      write(() => {
        if (findSenderId(integration, name) !== undefined) return undefined;
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

    senderIdByName: (integration, name) =>
      read(() => {
        const found = findSenderId(integration, name);
        return found && storedSenderId(found);
      }),

    deleteSenderId: (integration, name) =>
      write(() => {
        const sql = "DELETE FROM sender_id WHERE integration_id = ? AND name = ?";
        return isStorable(name) && changes(sql, integration, name) > 0;
      }),

    insertGroup: (integration, group) => write(() => insertOne(integration, group)),

    insertCheckedGroup: (integration, group, sender, hasUniqueName) =>
      write(() => {
        if (hasUniqueName && isTaken(integration, group.name, noGroup)) return "name taken";
        const senderId = sender === null ? null : senderIdOf(integration, sender);
        if (senderId === undefined) return "no sender ID";
        const stored = insertOne(integration, group);
        changes("UPDATE contact_group SET sender_id = ? WHERE id = ?", senderId, stored.id);
        return stored;
      }),

    groupByKey: (integration, key) =>
      read(() => {
        const found = findGroup(queries, integration, key);
        return found && storedGroup(found);
      }),

    updateGroup: (integration, key, update, hasUniqueName = false) =>
      write(() => updateGroup(integration, key, update, hasUniqueName)),

    deleteGroup: (integration, key) =>
      write(() => {
        const found = findGroup(queries, integration, key);
        if (found === undefined) return false;
        return changes("DELETE FROM contact_group WHERE id = ?", found.id) > 0;
      }),
  };
}
