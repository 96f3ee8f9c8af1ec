import type { ContactStore } from "../../store.ts";
import { contactReads } from "../../store/contacts.ts";
import { isStorable } from "../../store/shared-queries.ts";
import { countContacts, lockContacts } from "./lock-contacts.ts";
import { allIds, ofIntegration } from "../conditions.ts";
import { putContacts } from "./put-contacts.ts";
import type { Queries } from "../queries.ts";

/** The columns of the index of birthdays. */
const birthday = `(group_id, "right"(birth_date, 5), id)`;

/** Returns the store methods for contacts. */
export function contactMethods(queries: Queries): ContactStore {
  return {
    ...contactReads(queries, {
      groupsBelow: `${ofIntegration("$2", "one.")} ORDER BY one.integration_id DESC, one.id DESC`,
      bornOn: `${birthday} > ($1::bigint, $2::text, $3::bigint)
        AND ${birthday} < ($1::bigint, $2::text, ${allIds}) ORDER BY group_id, "right"(birth_date, 5), id`,
    }),

    importContacts: (...given) => putContacts(queries, ...given),

    deleteContacts: (integration, key, phones) =>
      queries.transact(
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
  };
}
