import type { ReviewStore } from "../store.ts";
import { isStorable, type Queries } from "./queries.ts";
import { prepared } from "./records.ts";
import { senderIdColumns, storedSenderId, type SenderIdRow } from "../rows.ts";

/** Returns the review methods of a store. A partial index has the PENDING sender IDs by age. */
export function reviewMethods({ row, write }: Queries): ReviewStore {
  return {
    setSenderIdStatus: async (integration, name, status) => {
      if (!isStorable(name)) return undefined;
      return write({
        statements: [
          prepared(
            `UPDATE sender_id SET status = $3 WHERE integration_id = $1 AND name = $2
             RETURNING ${senderIdColumns}`,
            integration,
            name,
            status,
          ),
        ],
        result: ([changed]) => {
          const [found] = changed!.rows as SenderIdRow[];
          return found && storedSenderId(found);
        },
      });
    },

    oldestPending: async () => {
      const sql = "SELECT min(created_at) AS oldest FROM sender_id WHERE status = 'PENDING'";
      return (await row<{ readonly oldest: number | null }>(sql))?.oldest ?? undefined;
    },

    approvePendingBefore: (time, count) =>
      write({
        statements: [
          prepared(
            `UPDATE sender_id SET status = 'APPROVED' WHERE id = ANY(ARRAY(
               SELECT id FROM sender_id WHERE status = 'PENDING' AND created_at <= $1
               ORDER BY created_at LIMIT $2))`,
            Math.floor(time),
            count,
          ),
        ],
        result: ([changed]) => changed!.count,
      }),
  };
}
