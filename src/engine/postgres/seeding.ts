import type {
  Microseconds,
  RecordStore,
  SeedContact,
  SeedGroup,
  SeedStore,
} from "../store/store.ts";
import { integrationDeleted } from "./errors.ts";
import type { Queries } from "./queries.ts";
import { addedTo } from "./records.ts";

const lockOwner = `
  ${addedTo("contact_group", "$2", "$3::bigint")} WHERE id = $1
  RETURNING newest - $3::bigint AS time,
    (SELECT coalesce(max(id), 0) + 1 FROM contact_group WHERE integration_id = $1) AS "nextId"`;

/** Inserts the groups of a JSON array, $3, in their order. Parameter 2 is the time that each group's place is added to. */
const insertGroups = `
  INSERT INTO contact_group (integration_id, uuid, name, send_birthday, send_holiday,
    birthday_message, sender_id, created_at)
  SELECT $1, given.uuid, given.name, given.send_birthday, given.send_holiday,
    given.birthday_message, sender_id.id, $2::bigint + place
  FROM json_to_recordset($3) AS given (place bigint, uuid uuid, name text, send_birthday boolean,
    send_holiday boolean, birthday_message text, "senderId" text)
  LEFT JOIN sender_id ON sender_id.integration_id = $1 AND sender_id.name = given."senderId"
  ORDER BY place RETURNING id`;

const insertContacts = `
  WITH added AS (
    INSERT INTO contact (integration_id, group_id, phone, first_name, birth_date)
    SELECT $1, contact_group.id, given.phone, given.first_name, given.birth_date
    FROM json_to_recordset($2)
      AS given ("groupId" bigint, phone text, first_name text, birth_date text)
    JOIN contact_group ON integration_id = $1 AND contact_group.id = given."groupId"
    ON CONFLICT (integration_id, group_id, phone) DO NOTHING RETURNING group_id
  ), size AS (SELECT group_id, count(*) AS count FROM added GROUP BY group_id), counted AS (
    UPDATE contact_group SET contacts_count = contacts_count + size.count
    FROM size WHERE integration_id = $1 AND contact_group.id = size.group_id
  )
  SELECT coalesce(sum(count), 0)::bigint AS count FROM size`;

/** Returns the bulk insert methods of a store. @param now time in microseconds since 1970 */
export function seedMethods(
  { change, transact }: Queries,
  { insertSenderId }: Pick<RecordStore, "insertSenderId">,
  now: () => Microseconds,
): SeedStore {
  return {
    insertManySenderIds: async (integration, senderIds) => {
      let count = 0;
      for (const senderId of senderIds) {
        if ((await insertSenderId(integration, senderId)) !== undefined) count += 1;
      }
      return count;
    },

    insertManyGroups: (integration, groups: readonly SeedGroup[], uuidsFrom) =>
      transact(async (send) => {
        const [reserved] = await send<{ time: number; nextId: number }>(
          lockOwner,
          integration,
          Math.floor(now()),
          groups.length,
        );
        if (reserved === undefined) throw integrationDeleted();
        const nextUuid = uuidsFrom(reserved.nextId);
        const rows = groups.map((group, index) => ({
          ...group,
          place: index + 1,
          uuid: nextUuid(),
        }));
        const { time } = reserved;
        const text = JSON.stringify(rows);
        const added = await send<{ id: number }>(insertGroups, integration, time, text);
        return added.map(({ id }) => id);
      }),

    insertManyContacts: async (integration, contacts: readonly SeedContact[]) => {
      const text = JSON.stringify(contacts);
      const [inserted] = await change<{ count: number }>(insertContacts, integration, text);
      return inserted!.count;
    },
  };
}
