import type {
  GroupKey,
  GroupUpdate,
  Microseconds,
  RecordStore,
  Store,
  StoredGroup,
} from "../store.ts";
import { contactMethods } from "./contacts.ts";
import { integrationMethods } from "./integrations.ts";
import { openDatabase } from "./connection/open.ts";
import { pageMethods } from "./pages.ts";
import { uuidsFrom } from "./uuids.ts";
import { createQueries, type Queries } from "./queries.ts";
import { reviewMethods } from "./review.ts";
import {
  flag,
  groupById,
  groupByUuid,
  senderIdByName,
  storedGroup,
  storedSenderId,
  type GroupRow,
  type SenderIdRow,
} from "./rows.ts";
import { seedMethods } from "./seeding.ts";

/**
 * The Store on the SQLite database at `file`, an absolute path; made where there is none.
 *
 * @param now the time, in microseconds since 1970
 * @param patience how long to wait for other processes, in milliseconds
 * @throws SendctlError "database" when the file can't be used
 */
export function openSqliteStore(file: string, now: () => Microseconds, patience?: number): Store {
  const queries = createQueries(openDatabase(file, patience), file, now);
  return {
    ...pageMethods(queries),
    ...recordMethods(queries),
    ...integrationMethods(queries),
    ...contactMethods(queries, file, () => openDatabase(file, patience)),
    ...reviewMethods(queries),
    ...seedMethods(queries),
    close: queries.close,
  };
}

/** Sender IDs and groups. */
function recordMethods({
  read,
  row,
  changes,
  insert,
  write,
  reserveTimes,
}: Queries): Omit<RecordStore, keyof ReturnType<typeof pageMethods>> {
  const newUuid = uuidsFrom(
    (bytes) => row<{ digits: string }>("SELECT lower(hex(randomblob(?))) AS digits", bytes)!.digits,
  );

  function findSenderId(integration: number, name: string): SenderIdRow | undefined {
    return row(senderIdByName, integration, name);
  }

  function findGroup(integration: number, key: GroupKey): GroupRow | undefined {
    return "id" in key
      ? row(groupById, key.id, integration)
      : row(groupByUuid, key.uuid, integration);
  }

  /** Ruling 14: by name or, failing that, by id. */
  function senderIdOf(
    integration: number,
    key: NonNullable<GroupUpdate["senderId"]>,
  ): number | undefined {
    const byName = findSenderId(integration, key.name);
    if (byName !== undefined || key.id === undefined) return byName?.id;
    return row<{ id: number }>(
      "SELECT id FROM sender_id WHERE integration_id = ? AND id = ?",
      integration,
      key.id,
    )?.id;
  }

  function updateGroup(
    integration: number,
    key: GroupKey,
    update: GroupUpdate,
  ): StoredGroup | "no group" | "no sender ID" {
    const found = findGroup(integration, key);
    if (found === undefined) return "no group";
    const { senderId, ...changed } = update;
    let sender: number | null | undefined = found.sender_id;
    if (senderId !== undefined) {
      sender = senderId === null ? null : senderIdOf(integration, senderId);
    }
    if (sender === undefined) return "no sender ID";
    const after: StoredGroup = { ...storedGroup(found), ...changed };
    changes(
      `UPDATE contact_group
       SET name = ?, send_birthday = ?, send_holiday = ?, birthday_message = ?, sender_id = ?
       WHERE id = ?`,
      after.name,
      flag(after.sendBirthday),
      flag(after.sendHoliday),
      after.birthdayMessage,
      sender,
      after.id,
    );
    return after;
  }

  return {
    insertSenderId: (integration, { name, purpose, status }) =>
      write(() => {
        if (findSenderId(integration, name) !== undefined) return undefined;
        const createdAt = reserveTimes(1);
        const id = insert(
          `INSERT INTO sender_id (integration_id, name, purpose, status, created_at)
           VALUES (?, ?, ?, ?, ?)`,
          integration,
          name,
          purpose,
          status,
          createdAt,
        );
        return { id, name, purpose, status, createdAt };
      }),

    senderIdByName: (integration, name) =>
      read(() => {
        const found = findSenderId(integration, name);
        return found && storedSenderId(found);
      }),

    deleteSenderId: (integration, name) =>
      write(() => {
        const sql = "DELETE FROM sender_id WHERE integration_id = ? AND name = ?";
        return changes(sql, integration, name) > 0;
      }),

    insertGroup: (integration, group) =>
      write(() => {
        const createdAt = reserveTimes(1);
        const uuid = newUuid(createdAt);
        const id = insert(
          `INSERT INTO contact_group
             (integration_id, uuid, name, send_birthday, send_holiday, birthday_message, created_at)
           VALUES (?, ?, ?, ?, ?, ?, ?)`,
          integration,
          uuid,
          group.name,
          flag(group.sendBirthday),
          flag(group.sendHoliday),
          group.birthdayMessage,
          createdAt,
        );
        return { id, uuid, ...group, contactsCount: 0, createdAt };
      }),

    groupByKey: (integration, key) =>
      read(() => {
        const found = findGroup(integration, key);
        return found && storedGroup(found);
      }),

    updateGroup: (integration, key, update) => write(() => updateGroup(integration, key, update)),

    deleteGroup: (integration, key) =>
      write(() => {
        const found = findGroup(integration, key);
        if (found === undefined) return false;
        return changes("DELETE FROM contact_group WHERE id = ?", found.id) > 0;
      }),
  };
}
