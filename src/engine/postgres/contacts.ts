import type { BirthdayGroup, ContactStore, ContactWithId, StoredContact } from "../store.ts";
import { putContacts } from "./put-contacts.ts";
import { isStorable, type Queries } from "./queries.ts";
import { findBy, valueOf } from "./records.ts";

const contactColumns = `phone, first_name AS "firstName", birth_date AS "birthDate"`;

/** The sender fields are null if the group has no sender ID. */
interface BirthdayGroupRow extends Omit<BirthdayGroup, "senderId"> {
  readonly senderName: string | null;
  readonly senderStatus: string | null;
}

/** A contact of a page. An empty page is one row of nulls with the total. */
type PageRow = { readonly total: number } & { [Name in keyof StoredContact]: string | null };

/** Returns the store methods for contacts. */
export function contactMethods(queries: Queries): ContactStore {
  const { row, rows, transact } = queries;
  return {
    importContacts: (integration, key, contacts, given, step) =>
      putContacts(queries, { integration, key, contacts, given, step }),

    contactByPhone: (group, phone) =>
      row<StoredContact>(
        `SELECT ${contactColumns} FROM contact WHERE group_id = $1 AND phone = $2`,
        group,
        phone,
      ),

    deleteContacts: (integration, key, phones) =>
      transact(async ({ send }) => {
        const found = await send({
          text: `SELECT id FROM contact_group WHERE ${findBy(key)} FOR UPDATE`,
          values: [integration, valueOf(key)],
        });
        const [group] = found.rows as { id: number }[];
        if (group === undefined) return undefined;
        const gone = await send({
          text: "DELETE FROM contact WHERE group_id = $1 AND phone = ANY($2::text[]) RETURNING phone",
          values: [group.id, phones.filter(isStorable)],
        });
        await send({
          text: "UPDATE contact_group SET contacts_count = contacts_count - $2 WHERE id = $1",
          values: [group.id, gone.rows.length],
        });
        return (gone.rows as { phone: string }[]).map(({ phone }) => phone);
      }),

    sliceOfContacts: async (group, skip, count) => {
      const found = await rows<PageRow>(
        `SELECT one.contacts_count AS total, page.*
         FROM contact_group AS one LEFT JOIN LATERAL (
           SELECT ${contactColumns} FROM contact WHERE group_id = one.id
           ORDER BY phone LIMIT $2 OFFSET $3
         ) AS page ON true
         WHERE one.id = $1`,
        group,
        count,
        skip,
      );
      const items = found.flatMap(({ phone, firstName, birthDate }) =>
        phone === null ? [] : [{ phone, firstName, birthDate }],
      );
      return { items, total: found[0]?.total ?? 0 };
    },

    contactsAfter: (group, phone, count) =>
      rows<StoredContact>(
        `SELECT ${contactColumns} FROM contact WHERE group_id = $1 AND phone > $2
         ORDER BY phone LIMIT $3`,
        group,
        phone,
        count,
      ),

    birthdayGroups: async (integration, before, count) => {
      const found = await rows<BirthdayGroupRow>(
        `SELECT one.id, one.name, one.birthday_message AS "birthdayMessage",
           sender_id.name AS "senderName", sender_id.status AS "senderStatus"
         FROM contact_group AS one LEFT JOIN sender_id ON sender_id.id = one.sender_id
         WHERE one.integration_id = $1 AND one.id < $2 AND send_birthday AND contacts_count > 0
         ORDER BY one.id DESC LIMIT $3`,
        integration,
        before ?? Number.MAX_SAFE_INTEGER,
        count,
      );
      return found.map(({ senderName: name, senderStatus: status, ...group }) => ({
        ...group,
        senderId: name === null || status === null ? undefined : { name, status },
      }));
    },

    contactsBornOn: (group, monthDay, after, count) =>
      rows<ContactWithId>(
        `SELECT id, ${contactColumns} FROM contact
         WHERE group_id = $1 AND "right"(birth_date, 5) = $2 AND birth_date IS NOT NULL AND id > $3
         ORDER BY id LIMIT $4`,
        group,
        monthDay,
        after,
        count,
      ),
  };
}
