import type { Contact, ContactColumn } from "../../contract/contacts.ts";
import { integrationDeleted } from "./address.ts";
import type {
  ContactStore,
  GroupKey,
  Microseconds,
  RecordStore,
  SeedStore,
  StoredGroup,
  StoredImport,
} from "../store/store.ts";
import { groupColumns, storedGroup, type GroupRow } from "../store/rows.ts";
import { contactReads, isStorable, onExisting } from "../store/shared-methods.ts";
import { bulkLimits, type Send } from "./connection.ts";
import { createQueries, withQueries, type Queries } from "./queries.ts";
import { addedTo, byKey, ofIntegration } from "./records.ts";

/** The contacts of the group $2 of the integration $1. */
const ofGroup = "integration_id = $1 AND group_id = $2";

/** Keeps others from changing the contacts of a group until the end of the transaction, but not the group itself. */
const lockContacts = byKey(
  (found) => `
  SELECT pg_advisory_xact_lock(hashtextextended(uuid::text, 0)) FROM contact_group WHERE ${found}`,
);

/** Contacts refer to the group, so it must not be deleted meanwhile. */
const keepGroup = byKey(
  (found) => `SELECT ${groupColumns} FROM contact_group WHERE ${found} FOR KEY SHARE`,
);

/** Returns the store methods for contacts. */
export function contactMethods(queries: Queries): ContactStore {
  return {
    ...contactReads(
      queries,
      ofIntegration("one."),
      "integration_id = $1 AND group_id",
      `"right"(birth_date, 5)`,
    ),

    // On connections of its own: an import takes longer than requests may.
    importContacts: (...given) =>
      withQueries(createQueries(queries.address, bulkLimits), (own) => putContacts(own, ...given)),

    deleteContacts: (integration, key, phones) =>
      queries.transact(async (send) => {
        const group = await lockedGroup(send, integration, key);
        if (group === undefined) return undefined;
        const deleted = await send<{ phone: string }>(
          `DELETE FROM contact WHERE ${ofGroup} AND phone = ANY($3::text[]) RETURNING phone`,
          integration,
          group.id,
          phones.filter(isStorable),
        );
        await countContacts(send, integration, group.id, -deleted.length);
        return deleted.map(({ phone }) => phone);
      }),
  };
}

/** Rows per INSERT. `step` runs after each and can cancel the import. */
const rowsPerStep = 20_000;

/**
 * Imports contacts into a group in one transaction: loads them into a temporary table, which keeps the last of each phone,
 * and inserts them in its order. Only other changes of the contacts of this group, and its deletion, wait for it.
 */
async function putContacts(
  { transact }: Queries,
  ...[integration, key, contacts, columns, { step, beforeCommit }]: Parameters<
    ContactStore["importContacts"]
  >
): Promise<StoredImport | undefined> {
  const put = async (send: Send): Promise<StoredImport | undefined> => {
    const loaded = await load(send, contacts);
    const [found] = await send<{ total: number }>("SELECT count(*) AS total FROM loaded");
    const { total } = found!;
    const before = await lockedGroup(send, integration, key);
    if (before === undefined) return undefined;
    const sql = putSql(columns);
    let [changed, inserted, last] = [0, 0, ""];
    for (let written = 0; written < total;) {
      const [done] = await send<Put>(sql, integration, before.id, last);
      changed += done!.changed;
      inserted += done!.inserted;
      written += done!.count;
      last = done!.last;
      await step?.(written, total);
    }
    const imported = {
      group: await countContacts(send, integration, before.id, inserted),
      added: inserted,
      updated: changed - inserted,
      unchanged: total - changed,
      duplicates: loaded - total,
    };
    beforeCommit?.(imported);
    return imported;
  };
  // The contacts can be read only once.
  return transact(put, 1);
}

/** Loads the contacts into a temporary table. Returns how many there were. */
async function load(send: Send, contacts: AsyncIterable<readonly Contact[]>): Promise<number> {
  await send(
    `CREATE TEMPORARY TABLE loaded (phone text COLLATE "C" PRIMARY KEY, first_name text,
       birth_date text) ON COMMIT DROP`,
  );
  // The contacts may come slowly.
  await send("SET LOCAL idle_in_transaction_session_timeout = 0");
  let count = 0;
  for await (const batch of contacts) {
    await send(
      `INSERT INTO loaded SELECT DISTINCT ON (phone) phone, first_name, birth_date
       FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY
         AS given (phone, first_name, birth_date, place)
       ORDER BY phone, place DESC
       ON CONFLICT (phone) DO UPDATE
         SET first_name = excluded.first_name, birth_date = excluded.birth_date`,
      batch.map(({ phone }) => phone),
      batch.map(({ first_name }) => first_name),
      batch.map(({ birth_date }) => birth_date),
    );
    count += batch.length;
  }
  await send(`SET LOCAL idle_in_transaction_session_timeout = ${bulkLimits.idle}`);
  await send("ANALYZE loaded");
  return count;
}

/** What one INSERT has done, in numbers of contacts, and the last phone that it looked at. */
interface Put {
  readonly count: number;
  readonly changed: number;
  readonly inserted: number;
  readonly last: string;
}

/** Inserts the next loaded contacts, after the phone $3. A row that is new has no earlier transaction. */
function putSql(columns: readonly ContactColumn[]): string {
  return `
    WITH given AS (SELECT * FROM loaded WHERE phone > $3 ORDER BY phone LIMIT ${rowsPerStep}), put AS (
      INSERT INTO contact (integration_id, group_id, phone, first_name, birth_date)
      SELECT $1::bigint, $2::bigint, phone, first_name, birth_date FROM given ORDER BY phone
      ON CONFLICT (integration_id, group_id, phone) ${onExisting(columns)}
      RETURNING xmax = 0 AS is_new
    )
    SELECT count(*) AS changed, count(*) FILTER (WHERE is_new) AS inserted,
      (SELECT count(*) FROM given) AS count, (SELECT max(phone) FROM given) AS last FROM put`;
}

/** Finds a group, and locks it and its contacts. Undefined if it does not exist. */
async function lockedGroup(
  send: Send,
  integration: number,
  key: GroupKey,
): Promise<GroupRow | undefined> {
  await lockContacts(send, integration, key);
  // A statement of its own sees what was committed before the lock.
  return (await keepGroup(send<GroupRow>, integration, key))[0];
}

/** Changes the number of contacts of a locked group, as the end of a transaction. */
async function countContacts(
  send: Send,
  integration: number,
  group: number,
  difference: number,
): Promise<StoredGroup> {
  const [counted] = await send<GroupRow>(
    `UPDATE contact_group SET contacts_count = contacts_count + $3
     WHERE integration_id = $1 AND id = $2 RETURNING ${groupColumns}`,
    integration,
    group,
    difference,
  );
  return storedGroup(counted!);
}

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

    insertManyGroups: (integration, groups, uuidsFrom) =>
      transact(async (send) => {
        const given = [integration, Math.floor(now()), groups.length];
        const [reserved] = await send<{ time: number; nextId: number }>(lockOwner, ...given);
        if (reserved === undefined) throw integrationDeleted();
        const { time, nextId } = reserved;
        const uuid = uuidsFrom(nextId);
        const rows = groups.map((group, index) => ({ ...group, place: index + 1, uuid: uuid() }));
        const text = JSON.stringify(rows);
        const added = await send<{ id: number }>(insertGroups, integration, time, text);
        return added.map(({ id }) => id);
      }),

    insertManyContacts: async (integration, contacts) => {
      const text = JSON.stringify(contacts);
      const [inserted] = await change<{ count: number }>(insertContacts, integration, text);
      return inserted!.count;
    },
  };
}
