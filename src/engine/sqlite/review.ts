import type { ReviewStore } from "../store.ts";
import { isStorable, type Queries } from "./queries.ts";
import { senderIdColumns, storedSenderId, type SenderIdRow } from "../rows.ts";

/**
 * Returns the store methods for reviewing sender IDs. An index contains the PENDING ones by age.
 */
export function reviewMethods({ row, changes, read, write }: Queries): ReviewStore {
  return {
    setSenderIdStatus: (integration, name, status) =>
      write(() => {
        if (!isStorable(name)) return undefined;
        const found = row<SenderIdRow>(
          `UPDATE sender_id SET status = ? WHERE integration_id = ? AND name = ?
           RETURNING ${senderIdColumns}`,
          status,
          integration,
          name,
        );
        return found && storedSenderId(found);
      }),

    oldestPending: () =>
      read(
        () =>
          row<{ readonly oldest: number | null }>(
            "SELECT min(created_at) AS oldest FROM sender_id WHERE status = 'PENDING'",
          )?.oldest ?? undefined,
      ),

    approvePendingBefore: (time, count) =>
      write(() =>
        changes(
          `UPDATE sender_id SET status = 'APPROVED' WHERE id IN (
             SELECT id FROM sender_id WHERE status = 'PENDING' AND created_at <= ?
             ORDER BY created_at LIMIT ?)`,
          time,
          count,
        ),
      ),
  };
}
