import type { SeedContact, SeedGroup, SeedStore } from "../seed/seed-store.ts";

import type { Queries } from "./queries.ts";
import { flag } from "./rows.ts";

/** Rows that one statement inserts: more of them are no faster. */
const rowsAtOnce = 50;

type Value = string | number | null;

/** Many records in one transaction, of many rows a statement. */
export function seedMethods({ row, rows, changes, write, reserveTimes }: Queries): SeedStore {
  /**
   * What a statement has to undo if it fails is kept in memory: in a file, it is half of the time. The log
   * grows to 32 MiB before it is written into the database, which what is written twice is then once.
   */
  async function writeMany<Result>(body: () => Result): Promise<Result> {
    changes("PRAGMA temp_store = MEMORY");
    row("PRAGMA wal_autocheckpoint = 8000");
    return write(body);
  }

  /** The first id that no group has had: ruling 21. */
  function nextGroupId(): number {
    const sql = "SELECT seq FROM sqlite_sequence WHERE name = 'contact_group'";
    return (row<{ seq: number }>(sql)?.seq ?? 0) + 1;
  }

  /** @param valuesOf the values of a row, in the order of its columns @returns how many were inserted */
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
    const full = insert(rowsAtOnce);
    const values: Value[] = [];
    let inserted = 0;
    for (let index = 0; index < items.length; index += 1) {
      values.push(...valuesOf(items[index]!, index));
      const count = values.length / columns;
      if (count < rowsAtOnce && index < items.length - 1) continue;
      inserted += changes(count === rowsAtOnce ? full : insert(count), ...values);
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

  function groupsThatAreThere(contacts: readonly SeedContact[]): Set<number> {
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
        return groups.map((_, index) => firstId + index);
      }),

    insertManyContacts: (contacts) =>
      writeMany(() => {
        const there = groupsThatAreThere(contacts);
        return insertRows(
          "contact (group_id, phone, first_name, birth_date)",
          4,
          contacts.filter(({ groupId }) => there.has(groupId)),
          ({ groupId, phone, firstName, birthDate }) => [groupId, phone, firstName, birthDate],
          "ON CONFLICT (group_id, phone) DO NOTHING",
        );
      }),
  };
}
