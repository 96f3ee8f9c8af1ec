import type { ContactStore } from "../store/store.ts";
import { contactReads } from "../store/shared-methods.ts";
import { withDatabase, type Database } from "./connection/open.ts";
import { refuseReplaced } from "./connection/connect.ts";
import { findGroup } from "./find-group.ts";
import type { Queries } from "./queries.ts";

/**
 * Returns the store methods for the contacts of groups.
 *
 * @param open opens a separate connection: the transaction of an import spans many turns of the
 *   event loop
 */
export function contactMethods(queries: Queries, file: string, open: () => Database): ContactStore {
  return {
    ...contactReads(queries, {
      groupsBelow: "one.integration_id = $1 AND one.id < $2 ORDER BY one.id DESC",
      bornOn: "group_id = $1 AND substr(birth_date, -5) = $2 AND id > $3 ORDER BY id",
    }),

    importContacts: async (...given) => {
      // Imported on demand, because only imports need it.
      const { upsertContacts } = await import("./upsert-contacts.ts");
      queries.refuseReplaced();
      return withDatabase(file, open, async (database) => {
        const imported = await upsertContacts(database, ...given);
        refuseReplaced(database, file, true);
        return imported;
      });
    },

    deleteContacts: (integration, key, phones) =>
      queries.write(() => {
        const found = findGroup(queries, integration, key);
        return (
          found &&
          queries
            .rows<{ phone: string }>(
              `DELETE FROM contact
               WHERE group_id = ? AND phone IN (SELECT value FROM json_each(?)) RETURNING phone`,
              found.id,
              JSON.stringify(phones),
            )
            .map(({ phone }) => phone)
        );
      }),
  };
}
