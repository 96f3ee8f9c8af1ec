import type { Connection, StatementResult, Value } from "./connection/connection.ts";
import type { Connections } from "./connection/connections.ts";
import { ofIntegration } from "./conditions.ts";

/** Removes the rows of deleted integrations and groups. */
export interface Sweep {
  /** Fulfilled when everything that was deleted before the call is removed, or cannot be removed now. */
  readonly sweep: () => Promise<void>;
  /** Fulfilled when no sweep is in progress. */
  readonly swept: () => Promise<void>;
}

/** Rows per statement. */
const maxGroups = 1000;
const maxRows = 5000;

/** Rows of the deleted integration $1. */
const ofDeleted = ofIntegration(String(Number.MAX_SAFE_INTEGER));

/** The next groups of a deleted integration after an id, and of no integration. */
const groupsOf = `
  SELECT id FROM contact_group WHERE ${ofDeleted} AND (integration_id, id) > ($1::bigint, $2::bigint)
  ORDER BY integration_id, id LIMIT ${maxGroups}`;
const groupsOfNone = `
  SELECT id FROM contact_group WHERE integration_id IS NULL AND id > $1
  ORDER BY integration_id, id LIMIT ${maxGroups}`;

/** Rows that another sweep or an import has locked are skipped; that import sweeps when it ends. */
const unlocked = "FOR UPDATE SKIP LOCKED";

/** Deletes contacts of the groups $1, from the contact of group $2 after the phone $3 on. Returns the last one. */
const deleteContacts = `
  WITH gone AS (
    DELETE FROM contact WHERE id = ANY(ARRAY(
      SELECT found.id FROM unnest($1::bigint[]) AS one (id) CROSS JOIN LATERAL (
        SELECT id FROM contact
        WHERE (group_id, phone) > (one.id, CASE WHEN one.id = $2::bigint THEN $3::text ELSE '' END)
          AND (group_id, phone) < (one.id + 1, '')
        ORDER BY group_id, phone LIMIT ${maxRows} ${unlocked}
      ) AS found LIMIT ${maxRows}))
    RETURNING group_id, phone
  )
  SELECT group_id AS "group", phone FROM gone ORDER BY group_id DESC, phone DESC LIMIT 1`;

const deleteGroups = `
  DELETE FROM contact_group WHERE id = ANY(ARRAY(
    SELECT id FROM contact_group WHERE id = ANY($1::bigint[]) ${unlocked}))`;

const deleteSenderIds = `
  DELETE FROM sender_id WHERE id = ANY(ARRAY(
    SELECT id FROM sender_id WHERE ${ofDeleted}
    ORDER BY integration_id, id LIMIT ${maxRows} ${unlocked}))`;

const deleteIntegration = `
  DELETE FROM integration WHERE id = ANY(ARRAY(
    SELECT id FROM integration WHERE id = $1 ${unlocked}))
    AND (SELECT id FROM contact_group WHERE ${ofDeleted} ORDER BY integration_id, id LIMIT 1) IS NULL
    AND (SELECT id FROM sender_id WHERE ${ofDeleted} ORDER BY integration_id, id LIMIT 1) IS NULL`;

/** Maximum numbers of groups and of their contacts that are removed on the connections of other statements. */
const [fewGroups, fewContacts] = [100, 1000];

/** The numbers of contacts of deleted groups, and null for a deleted integration. */
const waiting = `
  (SELECT contacts_count AS contacts FROM contact_group WHERE integration_id IS NULL LIMIT ${fewGroups + 1})
  UNION ALL (SELECT NULL FROM integration WHERE name IS NULL LIMIT 1)`;

/**
 * Creates the sweep of one process. A deletion only hides an integration or a group, because deleting many rows in one
 * transaction would make all writers wait. The sweep deletes the hidden rows, in small transactions without the lock of
 * writers: no one else writes these rows. If it is interrupted, the next one continues, of whichever process.
 */
export function createSweep(connections: Connections): Sweep {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  const sendToAny: Connection["send"] = async (statement) =>
    (await connections.any()).send(statement);

  async function sweepOnce(): Promise<void> {
    let connection: Connection | undefined;
    try {
      const { rows } = await sendToAny({ text: waiting });
      if (rows.length === 0) return;
      // Opening a connection takes longer than removing a few rows.
      if (!isFew(rows as Waiting)) connection = await connections.own();
      await sweepAll(connection?.send ?? sendToAny);
    } catch {
      // What is left is hidden, and the next sweep will find it.
    } finally {
      connection?.destroy();
    }
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
    // The next sweep includes the one in progress.
    swept: async () => next ?? running,
  };
}

type Waiting = readonly { readonly contacts: number | null }[];

function isFew(waits: Waiting): boolean {
  const contacts = waits.reduce((sum, one) => sum + (one.contacts ?? Infinity), 0);
  return waits.length <= fewGroups && contacts <= fewContacts;
}

/** Deletes the rows of everything that is deleted. */
async function sweepAll(send: Connection["send"]): Promise<void> {
  const run = (text: string, ...values: Value[]): Promise<StatementResult> =>
    send({ text, values });
  const sweepContacts = async (groups: readonly number[]): Promise<void> => {
    // Continues after the last contact, because a search passes all rows that were just deleted.
    let last = { group: 0, phone: "" };
    for (let left = groups; ; left = groups.slice(groups.indexOf(last.group))) {
      const { rows } = await run(deleteContacts, left, last.group, last.phone);
      if (rows.length === 0) return;
      [last] = rows as [typeof last];
    }
  };
  const sweepGroups = async (select: string, ...values: Value[]): Promise<void> => {
    for (let after = 0; ;) {
      const { rows } = await run(select, ...values, after);
      const ids = (rows as { id: number }[]).map(({ id }) => id);
      if (ids.length === 0) return;
      await sweepContacts(ids);
      await run(deleteGroups, ids);
      after = ids.at(-1)!;
    }
  };
  await sweepGroups(groupsOfNone);
  const { rows } = await run("SELECT id FROM integration WHERE name IS NULL");
  for (const { id } of rows as { id: number }[]) {
    await sweepGroups(groupsOf, id);
    while ((await run(deleteSenderIds, id)).count > 0);
    await run(deleteIntegration, id);
  }
}
