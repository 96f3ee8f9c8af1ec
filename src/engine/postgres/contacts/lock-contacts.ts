import type { GroupKey, StoredGroup } from "../../store/store.ts";
import { groupColumns, storedGroup, type GroupRow } from "../../store/rows.ts";
import type { Connection } from "../connection/connection.ts";
import { integrations } from "../conditions.ts";
import { findGroup } from "../records.ts";

/**
 * Finds a group and keeps others from changing its contacts until the end of the transaction. The group itself can be
 * updated and deleted meanwhile, because the writers of groups must not wait. So the lock is a row with the group's
 * uuid, inserted and deleted in the same transaction: another one that inserts it waits.
 *
 * @returns undefined if the group does not exist
 */
export async function lockContacts(
  connection: Connection,
  integration: number,
  key: GroupKey,
): Promise<StoredGroup | undefined> {
  const find = findGroup(integration, key);
  const found = await connection.send(find);
  const [unlocked] = found.rows as { uuid: string }[];
  if (unlocked === undefined) return undefined;
  await connection.send({
    text: "INSERT INTO writer (id, turn) VALUES ($1, 1)",
    values: [unlocked.uuid],
  });
  // Contacts refer to the group, so it must not be removed, only hidden.
  const locked = await connection.send({ ...find, text: `${find.text} FOR KEY SHARE` });
  const [group] = locked.rows as GroupRow[];
  return group && storedGroup(group);
}

/**
 * Changes the number of contacts of a locked group, as the end of a transaction. Writers of this group wait for it.
 *
 * @returns undefined if the group was deleted meanwhile
 */
export async function countContacts(
  { send }: Connection,
  { id, uuid }: StoredGroup,
  difference: number,
): Promise<StoredGroup | undefined> {
  const statements = [
    { text: "SET LOCAL idle_in_transaction_session_timeout = 1000" },
    { text: "DELETE FROM writer WHERE id = $1", values: [uuid] },
    {
      text: `UPDATE contact_group SET contacts_count = contacts_count + $2
             WHERE id = $1 AND integration_id IN ${integrations}
             RETURNING ${groupColumns}`,
      values: [id, difference],
    },
  ];
  const results = await Promise.all(statements.map(send));
  const [group] = results.at(-1)!.rows as GroupRow[];
  return group && storedGroup(group);
}
