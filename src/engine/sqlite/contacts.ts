import type { BirthdayGroup, ContactStore, ContactWithId, StoredContact } from "../store.ts";
import { databaseError } from "./connection/database-error.ts";
import type { Database } from "./connection/open.ts";
import { refuseReplaced as refuseReplacedFile } from "./connection/open-file.ts";
import type { Queries } from "./queries.ts";
import { groupById, groupByUuid } from "./rows.ts";

const contactColumns = "phone, first_name AS firstName, birth_date AS birthDate";

/** The sender ID fields are null if the group has no sender ID. */
interface BirthdayGroupRow extends Omit<BirthdayGroup, "senderId"> {
  readonly senderName: string | null;
  readonly senderStatus: string | null;
}

/**
 * Returns the store methods for the contacts of groups.
 *
 * @param open opens a separate connection: the transaction of an import spans many turns of the
 *   event loop
 */
export function contactMethods(
  { row, rows, read, write, refuseReplaced }: Queries,
  file: string,
  open: () => Database,
): ContactStore {
  return {
    importContacts: async (integration, key, contacts, given, step) => {
      // Imported on demand, because only imports need it.
      const { upsertContacts } = await import("./upsert-contacts.ts");
      refuseReplaced();
      const database = open();
      try {
        const imported = await upsertContacts(database, {
          integration,
          key,
          contacts,
          given,
          step,
        });
        refuseReplacedFile(database, file, true);
        return imported;
      } catch (error) {
        throw databaseError(error, file, database);
      } finally {
        database.close();
      }
    },

    contactByPhone: (group, phone) =>
      read(() =>
        row<StoredContact>(
          `SELECT ${contactColumns} FROM contact WHERE group_id = ? AND phone = ?`,
          group,
          phone,
        ),
      ),

    deleteContacts: (integration, key, phones) =>
      write(() => {
        const found =
          "id" in key
            ? row<{ id: number }>(groupById, key.id, integration)
            : row<{ id: number }>(groupByUuid, key.uuid, integration);
        return (
          found &&
          rows<{ phone: string }>(
            `DELETE FROM contact
             WHERE group_id = ? AND phone IN (SELECT value FROM json_each(?)) RETURNING phone`,
            found.id,
            JSON.stringify(phones),
          ).map(({ phone }) => phone)
        );
      }),

    sliceOfContacts: (group, skip, count) =>
      read(() => {
        const sql = "SELECT contacts_count AS total FROM contact_group WHERE id = ?";
        const { total } = row<{ total: number }>(sql, group) ?? { total: 0 };
        const items =
          skip >= total
            ? []
            : rows<StoredContact>(
                `SELECT ${contactColumns} FROM contact WHERE group_id = ?
                 ORDER BY phone LIMIT ? OFFSET ?`,
                group,
                count,
                skip,
              );
        return { items, total };
      }),

    contactsAfter: (group, phone, count) =>
      read(() =>
        rows<StoredContact>(
          `SELECT ${contactColumns} FROM contact WHERE group_id = ? AND phone > ?
           ORDER BY phone LIMIT ?`,
          group,
          phone,
          count,
        ),
      ),

    birthdayGroups: (integration, before, count) =>
      read(() =>
        rows<BirthdayGroupRow>(
          `SELECT one.id, one.name, one.birthday_message AS birthdayMessage,
             sender_id.name AS senderName, sender_id.status AS senderStatus
           FROM contact_group AS one LEFT JOIN sender_id ON sender_id.id = one.sender_id
           WHERE one.integration_id = ? AND one.id < ? AND send_birthday = 1 AND contacts_count > 0
           ORDER BY one.id DESC LIMIT ?`,
          integration,
          before ?? Number.MAX_SAFE_INTEGER,
          count,
        ).map(({ senderName: name, senderStatus: status, ...group }) => ({
          ...group,
          senderId: name === null || status === null ? undefined : { name, status },
        })),
      ),

    contactsBornOn: (group, monthDay, after, count) =>
      read(() =>
        rows<ContactWithId>(
          `SELECT id, ${contactColumns} FROM contact
           WHERE group_id = ? AND substr(birth_date, -5) = ? AND birth_date IS NOT NULL AND id > ?
           ORDER BY id LIMIT ?`,
          group,
          monthDay,
          after,
          count,
        ),
      ),
  };
}
