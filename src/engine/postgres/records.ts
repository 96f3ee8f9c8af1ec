import { randomUUID } from "node:crypto";
import { groupFields } from "../../contract/resources.ts";
import {
  type GroupRow,
  type SenderIdRow,
  givenGroupColumns,
  groupColumns,
  isIntegration,
  isStorable,
  senderIdColumns,
  storedGroup,
  storedSenderId,
} from "../store/shared-methods.ts";
import type { GroupKey, Microseconds, RecordStore, SenderIdKey } from "../store/store.ts";
import { type Statement, type Value, prepared } from "./connection/connection.ts";
import { allIds, ofIntegration } from "./conditions.ts";

import type { Queries } from "./queries.ts";

/**
 * Numbers the named parameters of a text, such as `:name`. $1 is always the integration.
 *
 * @returns creates a prepared statement with their values
 */
function named(
  text: string,
): (integration: number, values: Readonly<Record<string, Value>>) => Statement {
  const names: string[] = [];
  const numbered = text.replace(/(?<!:):([a-z_]+)/g, (_, name: string) => {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 2}`;
  });
  return (integration, values) =>
    prepared(numbered, integration, ...names.map((name) => values[name]!));
}

/** Reserves the next time and the next id of a kind. Ruling 22: later than every other, even if `now` is behind. */
export function nextOf(kind: string, now: string, condition = "true"): string {
  return `UPDATE clock SET newest = greatest(newest + 1, ${now}::bigint), last_${kind} = last_${kind} + 1
          WHERE ${condition} RETURNING newest, last_${kind} AS id`;
}

/** Updates the totals of the integrations in the rows of `part`, a WITH query that inserted or deleted a record. */
function counted(table: string, difference: string, part: string): string {
  return `UPDATE integration SET ${table}_total = ${table}_total ${difference},
            ${table}_changes = ${table}_changes + 1
          WHERE id IN (SELECT integration_id FROM ${part})`;
}

/** The integration $1, or one that does not exist if it was deleted, so that the insert fails. */
export const liveIntegration = `coalesce(
  (SELECT id FROM integration WHERE id = $1 AND ${isIntegration}), 0)`;

const insertSenderId = named(`
  WITH next AS (${nextOf(
    "sender_id",
    ":now",
    "NOT EXISTS (SELECT 1 FROM sender_id WHERE integration_id = $1 AND name = :name)",
  )}), added AS (
    INSERT INTO sender_id (id, integration_id, name, purpose, status, created_at)
    SELECT id, ${liveIntegration}, :name::text, :purpose::text, :status::text, newest FROM next
    RETURNING integration_id, ${senderIdColumns}
  ), counted AS (${counted("sender_id", "+ 1", "added")})
  SELECT ${senderIdColumns} FROM added`);

const deleteSenderId = named(`
  WITH deleted AS (
    DELETE FROM sender_id WHERE integration_id = $1 AND name = :name RETURNING integration_id
  ), counted AS (${counted("sender_id", "- 1", "deleted")})
  SELECT integration_id FROM deleted`);

const given = givenGroupColumns.join();

/** The parameters of the columns that callers set, with the types that SQL needs. */
const typed = givenGroupColumns.map((column) => `:${column}::${groupFields[column].type}`);

/** Ruling 14: finds the sender ID by its name, or otherwise by its id. Each lookup uses an index. */
const sender = `
  SELECT id FROM (SELECT coalesce(
    (SELECT id FROM sender_id WHERE integration_id = $1 AND name = :sender_name::text),
    (SELECT id FROM sender_id WHERE integration_id = $1 AND id = :sender_key::bigint)
  ) AS id) AS found WHERE id IS NOT NULL`;

/** The condition that the sender ID exists, or need not. */
const hasSender = "(:sender::text <> 'found' OR EXISTS (SELECT 1 FROM sender))";

/** A group with the name, if `condition` is true. Every writer locks the clock first, so no other can add one. */
const sameName = (condition: string): string => `
  SELECT 1 FROM contact_group
  WHERE :has_unique_name::boolean AND ${ofIntegration(allIds)}
    AND name = :name::text AND ${condition}
  ORDER BY integration_id DESC, id DESC LIMIT 1`;

/** Compares the names of one integration, which need not be unique. */
const groupsByName = `
  SELECT ${groupColumns} FROM contact_group
  WHERE ${ofIntegration(allIds)} AND name = $2::text ORDER BY integration_id DESC, id DESC`;

const insertGroup = named(`
  WITH namesake AS (${sameName("true")}), sender AS (${sender}), next AS (${nextOf(
    "group",
    ":now",
    `NOT EXISTS (SELECT 1 FROM namesake) AND ${hasSender}`,
  )}), added AS (
    INSERT INTO contact_group (id, integration_id, uuid, ${given}, created_at, sender_id)
    SELECT id, ${liveIntegration}, :uuid::uuid, ${typed.join()}, newest, (SELECT id FROM sender)
    FROM next
    RETURNING integration_id, ${groupColumns}
  ), counted AS (${counted("contact_group", "+ 1", "added")})
  SELECT (SELECT count(*) FROM namesake) AS namesakes, added.*
  FROM (VALUES (1)) AS single (one) LEFT JOIN added ON true`);

/** Creates a statement for a group, by its id or its uuid. @param text gets the condition for the group */
function byKey(text: (found: string) => string) {
  const byId = named(text("integration_id = $1 AND id = :key::bigint"));
  const byUuid = named(text("integration_id = $1 AND uuid = :key::uuid"));
  return (integration: number, key: GroupKey, values: Readonly<Record<string, Value>> = {}) =>
    "id" in key
      ? byId(integration, { ...values, key: key.id })
      : byUuid(integration, { ...values, key: key.uuid });
}

export const findGroup = byKey(
  (found) => `SELECT ${groupColumns} FROM contact_group WHERE ${found}`,
);

/** Each column has two parameters: whether it changes, and the new value. */
const changes = givenGroupColumns.map(
  (column, index) =>
    `${column} = CASE WHEN :set_${column}::boolean THEN ${typed[index]!} ELSE ${column} END`,
);

const updateGroup = byKey(
  (found) => `
  WITH sender AS (${sender}), namesake AS (${sameName(`NOT (${found})`)}), changed AS (
    UPDATE contact_group SET ${changes.join()},
      sender_id = CASE :sender::text WHEN 'kept' THEN sender_id WHEN 'none' THEN NULL
                                ELSE (SELECT id FROM sender) END
    WHERE ${found} AND ${hasSender} AND NOT EXISTS (SELECT 1 FROM namesake)
    RETURNING ${groupColumns}
  )
  SELECT (SELECT count(*) FROM contact_group WHERE ${found}) AS found,
    (SELECT count(*) FROM namesake) AS namesakes, changed.*
  FROM (VALUES (1)) AS single (one) LEFT JOIN changed ON true`,
);

/** Hides the group. The sweep deletes it with its contacts. */
const deleteGroup = byKey(
  (found) => `
  WITH deleted AS (
    UPDATE contact_group SET integration_id = NULL WHERE ${found}
    RETURNING $1::bigint AS integration_id
  ), counted AS (${counted("contact_group", "- 1", "deleted")})
  SELECT integration_id FROM deleted`,
);

/** Returns the parameters of a sender ID: what to do with it, its name, and its id. */
function senderValues(key: SenderIdKey | null | undefined): Readonly<Record<string, Value>> {
  const { name, id = null, isOptional } = key ?? { name: undefined };
  const mode = isOptional === true ? "optional" : "found";
  return {
    sender: key === undefined ? "kept" : key === null ? "none" : mode,
    sender_name: name !== undefined && isStorable(name) ? name : null,
    sender_key: id,
  };
}

/** Returns the store methods for sender IDs and groups. @param now time in microseconds since 1970 */
export function recordMethods(
  { row, select, write, sweep }: Queries,
  now: () => Microseconds,
): Omit<RecordStore, "sliceOfSenderIds" | "sliceOfGroups"> {
  const time = (): number => Math.floor(now());

  return {
    insertSenderId: async (integration, senderId) => {
      const statement = insertSenderId(integration, { ...senderId, now: time() });
      const [added] = await write<SenderIdRow>(statement);
      return added && storedSenderId(added);
    },

    senderIdByName: async (integration, name) => {
      if (!isStorable(name)) return undefined;
      const found = await row<SenderIdRow>(
        `SELECT ${senderIdColumns} FROM sender_id WHERE integration_id = $1 AND name = $2`,
        integration,
        name,
      );
      return found && storedSenderId(found);
    },

    deleteSenderId: async (integration, name) =>
      isStorable(name) && (await write(deleteSenderId(integration, { name }))).length > 0,

    groupsNamed: async (integration, name) => {
      if (!isStorable(name)) return [];
      const found = await select<GroupRow>(groupsByName, integration, name);
      return found.map(storedGroup);
    },

    groupByKey: async (integration, key) => {
      const { text, values = [] } = findGroup(integration, key);
      const found = await row<GroupRow>(text, ...values);
      return found && storedGroup(found);
    },

    insertGroup: async (integration, group, key = null, hasUniqueName = false) => {
      const statement = insertGroup(integration, {
        ...group,
        ...senderValues(key),
        uuid: randomUUID(),
        now: time(),
        has_unique_name: hasUniqueName,
      });
      const [added] = await write<GroupRow & { readonly namesakes: number }>(statement);
      if (added!.namesakes > 0) return "name taken";
      return added!.id === null ? "no sender ID" : storedGroup(added!);
    },

    updateGroup: async (integration, key, { sender_id, ...update }, hasUniqueName = false) => {
      const changed = givenGroupColumns.flatMap((column): [string, Value][] => [
        [`set_${column}`, update[column] !== undefined],
        [column, update[column] ?? null],
      ]);
      const statement = updateGroup(integration, key, {
        ...Object.fromEntries(changed),
        ...senderValues(sender_id),
        has_unique_name: hasUniqueName && update.name !== undefined,
      });
      const [updated] = await write<GroupRow & { found: number; namesakes: number }>(statement);
      if (updated!.found === 0) return "no group";
      if (updated!.namesakes > 0) return "name taken";
      return updated!.id === null ? "no sender ID" : storedGroup(updated!);
    },

    deleteGroup: async (integration, key) => {
      const deleted = await write(deleteGroup(integration, key));
      if (deleted.length > 0) await sweep();
      return deleted.length > 0;
    },
  };
}
