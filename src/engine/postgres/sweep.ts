import type { Connections } from "./connection/connections.ts";
import { allIds, ofIntegration } from "./conditions.ts";

/** Removes the rows of deleted integrations and groups. */
export type Sweep = ReturnType<typeof createSweep>;

/** Milliseconds for one statement, which may delete all contacts of a large integration. */
const timeout = 600_000;

/** Returns a row if anything is to be removed. */
const waiting = `
  (SELECT id FROM contact_group WHERE integration_id IS NULL LIMIT 1)
  UNION ALL (SELECT id FROM integration WHERE name IS NULL LIMIT 1)`;

/** Groups that another sweep or an import has locked are skipped; that import sweeps when it ends. */
const deleteGroups = (condition: string): string => `
  DELETE FROM contact_group WHERE id = ANY(ARRAY(
    SELECT id FROM contact_group WHERE ${condition} FOR UPDATE SKIP LOCKED))`;

/** Rows of the deleted integration $1. */
const ofDeleted = ofIntegration(allIds);

/** Deletes the integration $1 with its records. */
const deleteIntegration = [
  deleteGroups(ofDeleted),
  `DELETE FROM sender_id WHERE ${ofDeleted}`,
  `DELETE FROM integration WHERE id = $1
   AND (SELECT id FROM contact_group WHERE ${ofDeleted} ORDER BY integration_id, id LIMIT 1) IS NULL`,
];

/**
 * Creates the sweep of one process. A deletion only hides an integration or a group, because deleting many rows in one
 * transaction would make all writers wait. The sweep deletes the hidden rows without the lock of writers, on a
 * connection of its own: no one else writes these rows. If it is interrupted, the next one continues, of whichever
 * process.
 */
export function createSweep(connections: Connections) {
  let running = Promise.resolve();
  let next: Promise<void> | undefined;

  async function sweepOnce(): Promise<void> {
    try {
      const { count } = await (await connections.any()).send({ text: waiting });
      if (count === 0) return;
      const connection = await connections.own({ statement: timeout });
      try {
        await connection.send({ text: deleteGroups("integration_id IS NULL") });
        const found = { text: "SELECT id FROM integration WHERE name IS NULL" };
        for (const { id } of (await connection.send(found)).rows as { id: number }[]) {
          for (const text of deleteIntegration) await connection.send({ text, values: [id] });
        }
      } finally {
        connection.destroy();
      }
    } catch {
      // What is remaining is hidden, and the next sweep will find it.
    }
  }

  /** Sweeps after the sweep in progress, which may have passed what is to be removed. */
  function sweep(): Promise<void> {
    return (next ??= running.then(() => {
      running = next!;
      next = undefined;
      return sweepOnce();
    }));
  }

  return {
    /** Fulfilled when everything that was deleted before the call is removed, or cannot be removed now. */
    sweep,
    // The next sweep includes the one in progress.
    /** Fulfilled when no sweep is in progress. */
    swept: (): Promise<void> => next ?? running,
  };
}
