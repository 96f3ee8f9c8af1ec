import type { StatementResult, Value } from "./connection/connection.ts";
import type { Connections } from "./connection/connections.ts";
import { allIds, ofIntegration } from "./conditions.ts";

/** Removes the rows of deleted integrations and groups. */
export interface Sweep {
  /** Fulfilled when everything that was deleted before the call is removed, or cannot be removed now. */
  readonly sweep: () => Promise<void>;
  /** Fulfilled when no sweep is in progress. */
  readonly swept: () => Promise<void>;
}

/** Rows per statement: few, because other statements may wait for it on the same connection. */
const maxGroups = 1000;
const maxRows = 1000;

/** Rows of the deleted integration $1. */
const ofDeleted = ofIntegration(allIds);

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
  WITH deleted AS (
    DELETE FROM contact WHERE id = ANY(ARRAY(
      SELECT found.id FROM unnest($1::bigint[]) AS swept (id) CROSS JOIN LATERAL (
        SELECT id FROM contact
        WHERE (group_id, phone) > (swept.id, CASE WHEN swept.id = $2::bigint THEN $3::text ELSE '' END)
          AND (group_id, phone) < (swept.id + 1, '')
        ORDER BY group_id, phone LIMIT ${maxRows} ${unlocked}
      ) AS found LIMIT ${maxRows}))
    RETURNING group_id, phone
  )
  SELECT group_id AS "group", phone FROM deleted ORDER BY group_id DESC, phone DESC LIMIT 1`;

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

/** Returns a row if anything is to be removed. */
const waiting = `
  (SELECT id FROM contact_group WHERE integration_id IS NULL LIMIT 1)
  UNION ALL (SELECT id FROM integration WHERE name IS NULL LIMIT 1)`;

/**
 * Creates the sweep of one process. A deletion only hides an integration or a group, because deleting many rows in one
 * transaction would make all writers wait. The sweep deletes the hidden rows, in small transactions without the lock of
 * writers: no one else writes these rows. If it is interrupted, the next one continues, of whichever process.
 */
export function createSweep(connections: Connections): Sweep {
  let running = Promise.resolve();
  let next: Promise<void> | undefined;

  const send: Send = async (text, ...values) => (await connections.any()).send({ text, values });

  async function sweepOnce(): Promise<void> {
    try {
      if ((await send(waiting)).count > 0) await sweepAll(send);
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
    sweep,
    // The next sweep includes the one in progress.
    swept: () => next ?? running,
  };
}

/** Sends a statement on a connection of the pool. */
type Send = (text: string, ...values: Value[]) => Promise<StatementResult>;

/** Deletes the rows of everything that is deleted. */
async function sweepAll(send: Send): Promise<void> {
  const sweepContacts = async (groups: readonly number[]): Promise<void> => {
    // Continues after the last contact, because a search passes all rows that were just deleted.
    let last = { group: 0, phone: "" };
    for (let remaining = groups; ; remaining = groups.slice(groups.indexOf(last.group))) {
      const { rows } = await send(deleteContacts, remaining, last.group, last.phone);
      if (rows.length === 0) return;
      [last] = rows as [typeof last];
    }
  };
  const sweepGroups = async (select: string, ...values: Value[]): Promise<void> => {
    for (let after = 0; ;) {
      const { rows } = await send(select, ...values, after);
      const ids = (rows as { id: number }[]).map(({ id }) => id);
      if (ids.length === 0) return;
      await sweepContacts(ids);
      await send(deleteGroups, ids);
      after = ids.at(-1)!;
    }
  };
  await sweepGroups(groupsOfNone);
  const { rows } = await send("SELECT id FROM integration WHERE name IS NULL");
  for (const { id } of rows as { id: number }[]) {
    await sweepGroups(groupsOf, id);
    while ((await send(deleteSenderIds, id)).count > 0);
    await send(deleteIntegration, id);
  }
}
