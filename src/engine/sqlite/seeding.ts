import type { RecordStore, SeedStore } from "../store/store.ts";
import type { Queries } from "./queries.ts";

/** Statements that insert many rows. Their value is a JSON array with an array for each row. */
const insertGroups = `
  INSERT INTO contact_group (id, integration_id, uuid, name, send_birthday, send_holiday,
    birthday_message, sender_id, created_at)
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5,
    value ->> 6, (SELECT id FROM sender_id WHERE integration_id = value ->> 1 AND name = value ->> 7),
    value ->> 8
  FROM json_each(?)`;

const insertContacts = `
  INSERT INTO contact (group_id, phone, first_name, birth_date)
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(?)
  WHERE value ->> 0 IN (SELECT id FROM contact_group)
  ON CONFLICT (group_id, phone) DO NOTHING`;

/** Returns the store methods that insert many records, each in one transaction with one statement. */
export function seedMethods(
  { row, changes, write, reserveTimes }: Queries,
  { insertSenderId }: Pick<RecordStore, "insertSenderId">,
): SeedStore {
  /** Returns the first id that no group has had (ruling 21). */
  function nextGroupId(): number {
    const sql = "SELECT seq FROM sqlite_sequence WHERE name = 'contact_group'";
    return (row<{ seq: number }>(sql)?.seq ?? 0) + 1;
  }

  return {
    insertManySenderIds: async (integration, senderIds) => {
      // They are committed together.
      const adding = senderIds.map((senderId) => insertSenderId(integration, senderId));
      return (await Promise.all(adding)).filter((added) => added !== undefined).length;
    },

    insertManyGroups: (integration, groups, uuidsFrom) =>
      write(() => {
        const firstId = nextGroupId();
        const firstTime = reserveTimes(groups.length);
        const nextUuid = uuidsFrom(firstId);
        const rows = groups.map((group, index) => [
          firstId + index,
          integration,
          nextUuid(),
          group.name,
          group.send_birthday,
          group.send_holiday,
          group.birthday_message,
          group.senderId,
          firstTime + index,
        ]);
        changes(insertGroups, JSON.stringify(rows));
        return groups.map((_, index) => firstId + index);
      }),

    insertManyContacts: (_, contacts) =>
      write(() => {
        const rows = contacts.map(({ groupId, phone, first_name, birth_date }) => [
          groupId,
          phone,
          first_name,
          birth_date,
        ]);
        return changes(insertContacts, JSON.stringify(rows));
      }),
  };
}
