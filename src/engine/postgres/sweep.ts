import type { Connection, StatementResult, Value } from "./connection/connection.ts";
import type { Connections } from "./connection/connections.ts";
import { integrations } from "./connection/migrations.ts";

/** Removes the rows of deleted integrations and groups. */
export interface Sweep {
  /** Fulfilled when everything that was deleted before the call is removed, or cannot be removed now. */
  readonly sweep: () => Promise<void>;
  /** Fulfilled when no sweep is in progress. */
  readonly swept: () => Promise<void>;
}

/** Rows per statement. */
const maxGroups = 500;
const maxRows = 5000;

/** The next deleted groups after an id. */
const deletedGroups = `
  SELECT id FROM (
    (SELECT id FROM contact_group WHERE integration_id IS NULL AND id > $1 ORDER BY id LIMIT ${maxGroups})
    UNION ALL
    (SELECT contact_group.id FROM integration JOIN contact_group ON integration_id = integration.id
     WHERE integration.name IS NULL AND contact_group.id > $1
     ORDER BY contact_group.id LIMIT ${maxGroups})
  ) AS deleted ORDER BY id LIMIT ${maxGroups}`;

/** Rows that another sweep or an import has locked are skipped; that import sweeps when it ends. */
const unlocked = "FOR UPDATE SKIP LOCKED";

const deleteContacts = `
  DELETE FROM contact WHERE id = ANY(ARRAY(
    SELECT id FROM contact WHERE group_id = ANY($1::bigint[]) LIMIT ${maxRows} ${unlocked}))`;

const deleteGroups = `
  DELETE FROM contact_group WHERE id = ANY(ARRAY(
    SELECT id FROM contact_group WHERE id = ANY($1::bigint[])
      AND NOT EXISTS (SELECT 1 FROM contact WHERE group_id = contact_group.id) ${unlocked}))`;

const deleteSenderIds = `
  DELETE FROM sender_id WHERE id = ANY(ARRAY(
    SELECT sender_id.id FROM sender_id JOIN integration ON integration.id = integration_id
    WHERE integration.name IS NULL LIMIT ${maxRows} FOR UPDATE OF sender_id SKIP LOCKED))`;

const deleteIntegrations = `
  DELETE FROM integration WHERE id = ANY(ARRAY(
    SELECT id FROM integration WHERE name IS NULL
      AND NOT EXISTS (SELECT 1 FROM contact_group WHERE integration_id = integration.id)
      AND NOT EXISTS (SELECT 1 FROM sender_id WHERE integration_id = integration.id) ${unlocked}))`;

const exists = `
  SELECT 1 FROM contact_group WHERE integration_id IS NULL
  UNION ALL SELECT 1 FROM integration WHERE name IS NULL LIMIT 1`;

/**
 * Creates the sweep of one process. A deletion only hides an integration or a group, because deleting many rows in one
 * transaction would make all writers wait. The sweep deletes the hidden rows, in small transactions without the lock of
 * writers: no one else writes these rows. If it is interrupted, the next one continues, of whichever process.
 */
export function createSweep(connections: Connections): Sweep {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  async function sweepOnce(): Promise<void> {
    let connection: Connection | undefined;
    try {
      if ((await (await connections.any()).send({ text: exists })).count === 0) return;
      connection = await connections.own();
      await sweepAll(connection);
    } catch {
      // What is left is hidden, and the next sweep will find it.
    } finally {
      connection?.destroy();
    }
  }

  async function sweepAll({ send }: Connection): Promise<void> {
    const run = (text: string, ...values: Value[]): Promise<StatementResult> =>
      send({ text, values });
    for (let after = 0; ;) {
      const { rows } = await run(deletedGroups, after);
      const ids = (rows as { id: number }[]).map(({ id }) => id);
      if (ids.length === 0) break;
      while ((await run(deleteContacts, ids)).count > 0);
      await run(deleteGroups, ids);
      after = ids.at(-1)!;
    }
    while ((await run(deleteSenderIds)).count > 0);
    await run(deleteIntegrations);
  }

  function start(): Promise<void> {
    running = sweepOnce().finally(() => {
      running = undefined;
    });
    return running;
  }

  return {
    // A sweep in progress may have passed what is to be removed.
    sweep: () => {
      if (running === undefined) return start();
      return (next ??= running.then(() => {
        next = undefined;
        return start();
      }));
    },
    swept: async () => {
      while (running !== undefined) await (next ?? running);
    },
  };
}

/** The condition for rows of each table that are not deleted, for readers of whole tables. */
export const visible = {
  integration: "integration.name IS NOT NULL",
  secret_key: "true",
  sender_id: `sender_id.integration_id IN ${integrations}`,
  contact_group: `contact_group.integration_id IN ${integrations}`,
  contact: `contact.group_id IN (SELECT id FROM contact_group WHERE integration_id IN ${integrations})`,
} as const;
