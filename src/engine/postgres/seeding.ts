import type { Microseconds, SeedGroup, SeedStore } from "../store/store.ts";
import type { Connection, Value } from "./connection/connection.ts";
import type { Queries } from "./queries.ts";
import { liveIntegration } from "./records.ts";

const reserveGroups = `
  UPDATE clock SET newest = greatest(newest + 1, $1::bigint) + $2::bigint - 1,
    last_group = last_group + $2::bigint
  RETURNING newest - $2::bigint AS time, last_group - $2::bigint AS id`;

/** Parameters 2 and 3 are the id and the time that each group's position is added to. */
const insertGroups = `
  INSERT INTO contact_group (id, integration_id, uuid, name, send_birthday, send_holiday,
    birthday_message, sender_id, created_at)
  SELECT $2::bigint + place, ${liveIntegration}, given.uuid, given.name, given.send_birthday,
    given.send_holiday, given.birthday_message, sender_id.id, $3::bigint + place
  FROM unnest($4::uuid[], $5::text[], $6::boolean[], $7::boolean[], $8::text[], $9::text[])
    WITH ORDINALITY AS given (uuid, name, send_birthday, send_holiday, birthday_message, sender, place)
  LEFT JOIN sender_id ON sender_id.integration_id = $1 AND sender_id.name = given.sender`;

const insertContacts = `
  WITH added AS (
    INSERT INTO contact (group_id, phone, first_name, birth_date)
    SELECT contact_group.id, given.phone, given.first_name, given.birth_date
    FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[])
      AS given (group_id, phone, first_name, birth_date)
    JOIN contact_group ON contact_group.id = given.group_id AND integration_id IS NOT NULL
    ON CONFLICT (group_id, phone) DO NOTHING RETURNING group_id
  ), size AS (SELECT group_id, count(*) AS count FROM added GROUP BY group_id), counted AS (
    UPDATE contact_group SET contacts_count = contacts_count + size.count
    FROM size WHERE contact_group.id = size.group_id
  )
  SELECT coalesce(sum(count), 0)::bigint AS count FROM size`;

/** Returns the values of each field, as lists. */
function columnsOf<Row>(rows: readonly Row[], ...fields: (keyof Row)[]): Value[] {
  return fields.map((field) => rows.map((row) => row[field]) as Value);
}

/** Returns the bulk insert methods of a store. @param now time in microseconds since 1970 */
export function seedMethods({ write, transact }: Queries, now: () => Microseconds): SeedStore {
  return {
    insertManyGroups: (integration, groups, uuidsFrom) =>
      transact((connection) => addGroups(connection, integration, groups, uuidsFrom)),

    insertManyContacts: async (contacts) => {
      const values = columnsOf(contacts, "groupId", "phone", "firstName", "birthDate");
      const [inserted] = await write<{ readonly count: number }>({ text: insertContacts, values });
      return inserted!.count;
    },
  };

  async function addGroups(
    connection: Connection,
    integration: number,
    groups: readonly SeedGroup[],
    uuidsFrom: (firstId: number) => () => string,
  ): Promise<number> {
    const count = groups.length;
    const reserved = await connection.send({
      text: reserveGroups,
      values: [Math.floor(now()), count],
    });
    const [{ time, id }] = reserved.rows as [{ time: number; id: number }];
    const nextUuid = uuidsFrom(id + 1);
    await connection.send({
      text: insertGroups,
      values: [
        integration,
        id,
        time,
        groups.map(() => nextUuid()),
        ...columnsOf(
          groups,
          "name",
          "send_birthday",
          "send_holiday",
          "birthday_message",
          "senderId",
        ),
      ],
    });
    await connection.send({
      text: `UPDATE integration SET contact_group_total = contact_group_total + $2::bigint,
               contact_group_changes = contact_group_changes + 1 WHERE id = $1`,
      values: [integration, count],
    });
    return id + 1;
  }
}
