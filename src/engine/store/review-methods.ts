import {
  groupColumns,
  isStorable,
  senderIdColumns,
  storedGroup,
  type GroupRow,
  type SharedQueries,
} from "./shared-methods.ts";
import type { ReviewStore, StoredSenderId } from "./store.ts";

/** Returns the store methods for reviewing sender IDs, and for what uses them. An index has the PENDING ones by age. */
export function reviewMethods({ select, change }: SharedQueries): ReviewStore {
  return {
    senderIdOfGroup: async (integration, group) => {
      const [found] = await select<{ readonly name: string | null }>(
        `SELECT sender_id.name FROM contact_group AS one
         LEFT JOIN sender_id
           ON sender_id.integration_id = one.integration_id AND sender_id.id = one.sender_id
         WHERE one.id = $1 AND one.integration_id = $2`,
        group,
        integration,
      );
      return found?.name;
    },

    groupsOfSenderId: async (integration, name) => {
      if (!isStorable(name)) return [];
      const found = await select<GroupRow>(
        `SELECT ${groupColumns} FROM contact_group WHERE integration_id = $1 AND sender_id =
           (SELECT id FROM sender_id WHERE integration_id = $1 AND name = $2)`,
        integration,
        name,
      );
      return found.map(storedGroup);
    },

    setSenderIdStatus: async (integration, name, status) => {
      if (!isStorable(name)) return undefined;
      const [changed] = await change<StoredSenderId>(
        `UPDATE sender_id SET status = $3 WHERE integration_id = $1 AND name = $2
         RETURNING ${senderIdColumns}`,
        integration,
        name,
        status,
      );
      return changed;
    },

    oldestPending: async () => {
      const sql = "SELECT min(created_at) AS oldest FROM sender_id WHERE status = 'PENDING'";
      const [found] = await select<{ readonly oldest: number | null }>(sql);
      return found!.oldest ?? undefined;
    },

    approvePendingBefore: async (time, count) => {
      const pending = `SELECT integration_id, id FROM sender_id WHERE status = 'PENDING' AND created_at <= $1
                       ORDER BY created_at LIMIT $2`;
      const approved = await change(
        `UPDATE sender_id SET status = 'APPROVED' WHERE (integration_id, id) IN (${pending}) RETURNING id`,
        Math.floor(time),
        count,
      );
      return approved.length;
    },
  };
}
