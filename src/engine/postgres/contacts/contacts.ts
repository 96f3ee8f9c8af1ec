import type { BirthdayGroup, ContactStore, ContactWithId, StoredContact } from "../../store.ts";
import { countContacts, lockContacts } from "./lock-contacts.ts";
import { ofIntegration } from "../conditions.ts";
import { putContacts } from "./put-contacts.ts";
import { isStorable, type Queries } from "../queries.ts";

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
      transact(
        async (connection) => {
          const group = await lockContacts(connection, integration, key);
          if (group === undefined) return undefined;
          const gone = await connection.send({
            text: "DELETE FROM contact WHERE group_id = $1 AND phone = ANY($2::text[]) RETURNING phone",
            values: [group.id, phones.filter(isStorable)],
          });
          const counted = await countContacts(connection, group, -gone.rows.length);
          return counted && (gone.rows as { phone: string }[]).map(({ phone }) => phone);
        },
        { isBeside: true },
      ),

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
         WHERE ${ofIntegration("$2", "one.")} AND send_birthday AND contacts_count > 0
         ORDER BY one.integration_id DESC, one.id DESC LIMIT $3`,
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
         WHERE birth_date IS NOT NULL AND (group_id, "right"(birth_date, 5), id) > ($1::bigint, $2::text, $3::bigint)
           AND (group_id, "right"(birth_date, 5), id) < ($1::bigint, $2::text, ${Number.MAX_SAFE_INTEGER})
         ORDER BY group_id, "right"(birth_date, 5), id LIMIT $4`,
        group,
        monthDay,
        after,
        count,
      ),
  };
}
