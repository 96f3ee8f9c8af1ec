import { loadCrypto } from "../crypto.ts";
import type {
  GroupKey,
  GroupUpdate,
  Microseconds,
  RecordStore,
  Slice,
  Store,
  StoredGroup,
} from "../store.ts";
import { contactMethods } from "./contacts.ts";
import { integrationMethods } from "./integrations.ts";
import { openDatabase } from "./open.ts";
import { createQueries, type Queries } from "./queries.ts";
import { reviewMethods } from "./review.ts";
import {
  flag,
  groupById,
  groupByUuid,
  groupColumns,
  senderIdColumns,
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
 * @throws Failure "database" when the file can't be used
 */
export function openSqliteStore(file: string, now: () => Microseconds, patience?: number): Store {
  const queries = createQueries(openDatabase(file, patience), file);
  const nextTime = clockOf(queries, now);
  return {
    ...recordMethods(queries, nextTime),
    ...integrationMethods(queries, nextTime),
    ...contactMethods(queries, file, () => openDatabase(file, patience)),
    ...reviewMethods(queries),
    ...seedMethods(queries, now),
    close: queries.close,
  };
}

/** Ruling 22: later than every other, even when the machine's clock was set back. */
function clockOf({ row }: Queries, now: () => Microseconds): () => Microseconds {
  const sql = "UPDATE clock SET newest = max(newest + 1, ?) RETURNING newest";
  return () => row<{ newest: number }>(sql, Math.floor(now()))!.newest;
}

/** Sender IDs and groups. */
function recordMethods(
  { row, rows, changes, read, write }: Queries,
  nextTime: () => Microseconds,
): RecordStore {
  /** Where the last page of each table ended: whoever reads a list reads on from there. */
  const ends = new Map<string, { state: string; integration: number; skip: number; id: number }>();

  /** The newest first. Every page costs what the first does, as long as pages are read in turn. */
  function slice<Row extends { readonly id: number }>(
    table: "sender_id" | "contact_group",
    columns: string,
    integration: number,
    skip: number,
    count: number,
  ): Slice<Row> {
    const total =
      row<{ total: number }>(
        `SELECT ${table}_total AS total FROM integration WHERE id = ?`,
        integration,
      )?.total ?? 0;
    const length = Math.min(count, total - skip);
    if (length <= 0) return { items: [], total };
    const state = stateOf();
    const end = ends.get(table);
    const isNext = end?.state === state && end.integration === integration && end.skip === skip;
    const items = isNext
      ? rows<Row>(
          `SELECT ${columns} FROM ${table} WHERE integration_id = ? AND id < ?
           ORDER BY id DESC LIMIT ?`,
          integration,
          end.id,
          length,
        )
      : fromNearerEnd<Row>(table, columns, integration, { skip, length, total });
    const last = items.at(-1);
    if (last !== undefined) {
      ends.set(table, { state, integration, skip: skip + items.length, id: last.id });
    }
    return { items, total };
  }

  /** Changes with every write, of this process or of another. */
  function stateOf(): string {
    const { data_version } = row<{ data_version: number }>("PRAGMA data_version")!;
    return `${data_version}:${row<{ own: number }>("SELECT total_changes() AS own")!.own}`;
  }

  /** Skipping takes time by the record, so a page in the second half is read from the oldest on. */
  function fromNearerEnd<Row>(
    table: "sender_id" | "contact_group",
    columns: string,
    integration: number,
    { skip, length, total }: { skip: number; length: number; total: number },
  ): Row[] {
    const fromEnd = total - skip - length;
    const sql = (order: "ASC" | "DESC"): string =>
      `SELECT ${columns} FROM ${table} WHERE integration_id = ? ORDER BY id ${order} LIMIT ? OFFSET ?`;
    return skip <= fromEnd
      ? rows<Row>(sql("DESC"), integration, length, skip)
      : rows<Row>(sql("ASC"), integration, length, fromEnd).toReversed();
  }

  function findSenderId(integration: number, name: string): SenderIdRow | undefined {
    return row(
      `SELECT ${senderIdColumns} FROM sender_id WHERE integration_id = ? AND name = ?`,
      integration,
      name,
    );
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
        const added = row<SenderIdRow>(
          `INSERT INTO sender_id (integration_id, name, purpose, status, created_at)
           VALUES (?, ?, ?, ?, ?)
           RETURNING ${senderIdColumns}`,
          integration,
          name,
          purpose,
          status,
          nextTime(),
        );
        return storedSenderId(added!);
      }),

    sliceOfSenderIds: (integration, skip, count) =>
      read(() => {
        const found = slice<SenderIdRow>("sender_id", senderIdColumns, integration, skip, count);
        return { items: found.items.map(storedSenderId), total: found.total };
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

    insertGroup: async (integration, group) => {
      const { randomUUID } = await loadCrypto();
      return write(() => {
        const added = row<GroupRow>(
          `INSERT INTO contact_group
             (integration_id, uuid, name, send_birthday, send_holiday, birthday_message, created_at)
           VALUES (?, ?, ?, ?, ?, ?, ?)
           RETURNING ${groupColumns}`,
          integration,
          randomUUID(),
          group.name,
          flag(group.sendBirthday),
          flag(group.sendHoliday),
          group.birthdayMessage,
          nextTime(),
        );
        return storedGroup(added!);
      });
    },

    sliceOfGroups: (integration, skip, count) =>
      read(() => {
        const found = slice<GroupRow>("contact_group", groupColumns, integration, skip, count);
        return { items: found.items.map(storedGroup), total: found.total };
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
