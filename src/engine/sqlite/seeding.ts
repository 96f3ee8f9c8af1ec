import type { SeedContact, SeedGroup, SeedStore } from "../store/seed-store.ts";

import type { Queries } from "./queries.ts";

/** Number of rows per INSERT statement. More of them are not faster. */
const rowsPerStatement = 50;

type Value = string | number | null;

/**
 * Returns the store methods that insert many records in one transaction, with many rows per
 * statement.
 */
export function seedMethods({ row, rows, changes, write, reserveTimes }: Queries): SeedStore {
  /**
   * Keeps the rollback data of statements in memory: writing it to a file takes half of the time.
   * The log may grow to 32 MiB before it is copied into the database, so that pages written
   * repeatedly are copied once.
   */
  async function writeMany<Result>(body: () => Result): Promise<Result> {
    changes("PRAGMA temp_store = MEMORY");
    row("PRAGMA wal_autocheckpoint = 8000");
    return write(body);
  }

  /** Returns the first id that no group has had (ruling 21). */
  function nextGroupId(): number {
    const sql = "SELECT seq FROM sqlite_sequence WHERE name = 'contact_group'";
    return (row<{ seq: number }>(sql)?.seq ?? 0) + 1;
  }

  /**
   * Inserts rows in statements of many rows.
   *
   * @param valuesOf returns the values of a row, in the order of its columns
   * @returns the number of inserted rows
   */
  function insertRows<Item>(
    into: string,
    columns: number,
    items: readonly Item[],
    valuesOf: (item: Item, index: number) => Value[],
    conflict = "",
  ): number {
    const tuple = `(${Array.from({ length: columns }, () => "?").join(", ")})`;
    const insert = (count: number): string =>
      `INSERT INTO ${into} VALUES ${Array.from({ length: count }, () => tuple).join(", ")} ${conflict}`;
    const full = insert(rowsPerStatement);
    const values: Value[] = [];
    let inserted = 0;
    for (let index = 0; index < items.length; index += 1) {
      values.push(...valuesOf(items[index]!, index));
      const count = values.length / columns;
      if (count < rowsPerStatement && index < items.length - 1) continue;
      inserted += changes(count === rowsPerStatement ? full : insert(count), ...values);
      values.length = 0;
    }
    return inserted;
  }

  function senderIdsByName(integration: number, groups: readonly SeedGroup[]): Map<string, number> {
    const names = new Set(groups.flatMap(({ senderId }) => senderId ?? []));
    const sql = "SELECT id FROM sender_id WHERE integration_id = ? AND name = ?";
    return new Map(
      [...names].flatMap((name) =>
        rows<{ id: number }>(sql, integration, name).map(({ id }) => [name, id] as const),
      ),
    );
  }

  function existingGroups(contacts: readonly SeedContact[]): Set<number> {
    const ids = [...new Set(contacts.map(({ groupId }) => groupId))];
    const sql = "SELECT id FROM contact_group WHERE id = ?";
    return new Set(ids.filter((id) => row(sql, id) !== undefined));
  }

  return {
    insertManySenderIds: (integration, senderIds) =>
      writeMany(() => {
        const firstTime = reserveTimes(senderIds.length);
        return insertRows(
          "sender_id (integration_id, name, purpose, status, created_at)",
          5,
          senderIds,
          ({ name, purpose, status }, index) => [
            integration,
            name,
            purpose,
            status,
            firstTime + index,
          ],
          "ON CONFLICT (integration_id, name) DO NOTHING",
        );
      }),

    insertManyGroups: (integration, groups, uuidsFrom) =>
      writeMany(() => {
        const firstId = nextGroupId();
        const firstTime = reserveTimes(groups.length);
        const nextUuid = uuidsFrom(firstId);
        const senderIds = senderIdsByName(integration, groups);
        insertRows(
          `contact_group (id, integration_id, uuid, name, send_birthday, send_holiday,
             birthday_message, sender_id, created_at)`,
          9,
          groups,
          (group, index) => [
            firstId + index,
            integration,
            nextUuid(),
            group.name,
            flag(group.send_birthday),
            flag(group.send_holiday),
            group.birthday_message,
            group.senderId === null ? null : (senderIds.get(group.senderId) ?? null),
            firstTime + index,
          ],
        );
        return firstId;
      }),

    insertManyContacts: (contacts) =>
      writeMany(() => {
        const existing = existingGroups(contacts);
        return insertRows(
          "contact (group_id, phone, first_name, birth_date)",
          4,
          contacts.filter(({ groupId }) => existing.has(groupId)),
          ({ groupId, phone, firstName, birthDate }) => [groupId, phone, firstName, birthDate],
          "ON CONFLICT (group_id, phone) DO NOTHING",
        );
      }),
  };
}

/** Converts a boolean to 0 or 1, because SQLite has no booleans. */
function flag(value: boolean | null): number | null {
  return value === null ? null : Number(value);
}
