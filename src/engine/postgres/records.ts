import { randomUUID } from "node:crypto";
import { groupFields } from "../../contract/resources.ts";
import {
  givenGroupColumns,
  groupColumns,
  senderIdColumns,
  type GroupKey,
  type Microseconds,
  type NewGroup,
  type ReadSlice,
  type SenderIdKey,
  type StoredGroup,
  type StoredSenderId,
} from "../store/stored.ts";
import { integrationDeleted, isStorable, recordReads } from "../store/shared-methods.ts";
import type { RecordStore } from "../store/store.ts";
import type { Send, Value } from "./connection.ts";
import type { Queries } from "./queries.ts";

/** Runs a statement. */
type Run<Result> = (text: string, ...values: Value[]) => Promise<Result>;

/** Returns a function that runs a text with named parameters, `:name`; $1 is the integration. */
function named(text: string) {
  const names: string[] = [];
  const numbered = text.replace(/(?<!:):([a-z_]+)/g, (_, name: string) => {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 2}`;
  });
  return <Result>(
    run: Run<Result>,
    integration: number,
    values: Readonly<Record<string, Value>>,
  ): Promise<Result> => run(numbered, integration, ...names.map((name) => values[name]!));
}

/**
 * Returns the condition for all records of the integration $1, to be ordered by both columns. With
 * an equality, PostgreSQL reads a whole table in which most records belong to another integration.
 */
export function ofIntegration(table = ""): string {
  const place = `(${table}integration_id, ${table}id)`;
  return `${place} > ($1::bigint, 0) AND ${place} < ($1::bigint, ${Number.MAX_SAFE_INTEGER})`;
}

/**
 * Locks the integration $1, which orders its writers, and counts a new record. Ruling 22: its time
 * is after all others, even if `now` is behind. The id is taken last, to keep ids in that order.
 */
const addedTo = (table: string, now: string): string => `
  UPDATE integration SET newest = greatest(newest + 1, ${now}::bigint), ${table}_total = ${table}_total + 1`;

/** Counts the records that `deleted`, a WITH query, has deleted. */
const deletedFrom = (table: string): string => `
  UPDATE integration SET ${table}_total = ${table}_total - 1
  WHERE id = $1 AND EXISTS (SELECT 1 FROM deleted)`;

/** The condition that the integration $1 still has the key of a create, unless it was looked up. */
const hasKey = `(:key_hash::bytea IS NULL OR EXISTS (
    SELECT 1 FROM secret_key WHERE hash = :key_hash::bytea AND integration_id = $1))`;

const insertSenderId = named(`
  WITH owner AS (
    ${addedTo("sender_id", ":now")}
    WHERE id = $1 AND ${hasKey}
      AND NOT EXISTS (SELECT 1 FROM sender_id WHERE integration_id = $1 AND name = :name)
    RETURNING newest
  )
  INSERT INTO sender_id (integration_id, name, purpose, status, created_at)
  SELECT $1, :name::text, :purpose::text, :status::text, newest FROM owner
  RETURNING ${senderIdColumns}`);

/** Ruling 15: its groups lose it. One that gets it meanwhile violates its reference: repeated. */
const deleteSenderId = named(`
  WITH owner AS (SELECT id FROM integration WHERE id = $1 FOR NO KEY UPDATE), found AS (
    SELECT sender_id.id FROM owner JOIN sender_id ON integration_id = owner.id
    WHERE name = :name FOR UPDATE OF sender_id
  ), changed AS (
    UPDATE contact_group SET sender_id = NULL
    WHERE integration_id = $1 AND sender_id = (SELECT id FROM found)
  ), deleted AS (
    DELETE FROM sender_id WHERE integration_id = $1 AND id = (SELECT id FROM found) RETURNING 1
  ), counted AS (${deletedFrom("sender_id")})
  SELECT 1 FROM deleted`);

const given = givenGroupColumns.join();

/** Returns the parameter of a column that callers set, with the type that SQL needs. */
const typed = (column: keyof NewGroup): string => `:${column}::${groupFields[column].type}`;

/** Ruling 14: finds the sender ID by its name, otherwise by its id. Each uses an index. */
const sender = `
  SELECT id FROM (SELECT coalesce(
    (SELECT id FROM sender_id WHERE integration_id = $1 AND name = :sender_name::text),
    (SELECT id FROM sender_id WHERE integration_id = $1 AND id = :sender_key::bigint)
  ) AS id) AS found WHERE id IS NOT NULL`;

/** The condition that the sender ID exists, or need not. */
const hasSender = "(:sender::text <> 'found' OR EXISTS (SELECT 1 FROM sender))";

/** A group with the name, if `condition` holds and names are unique, in a locked integration. */
const sameName = (condition: string): string => `
  SELECT 1 FROM contact_group
  WHERE :has_unique_name::boolean AND ${ofIntegration()} AND name = :name::text AND ${condition}
  ORDER BY integration_id DESC, id DESC LIMIT 1`;

/** Locks the integration and adds a group, in a WITH query after `condition` and `sender`. */
const addGroup = (condition: string, senderId: string): string => `
  owner AS (
    ${addedTo("contact_group", ":now")} WHERE id = $1 AND ${hasKey} ${condition} RETURNING newest
  ), added AS (
    INSERT INTO contact_group (integration_id, uuid, ${given}, created_at, sender_id)
    SELECT $1, :uuid::uuid, ${givenGroupColumns.map(typed).join()}, newest, ${senderId} FROM owner RETURNING id, created_at
  )`;

/** For most creates, which look nothing up. */
const insertGroup = named(`WITH ${addGroup("", "NULL")} SELECT * FROM added`);

const insertGroupChecked = named(`
  WITH namesake AS (${sameName("true")}), sender AS (${sender}),
  ${addGroup(`AND NOT EXISTS (SELECT 1 FROM namesake) AND ${hasSender}`, "(SELECT id FROM sender)")}
  SELECT (SELECT count(*) FROM namesake) AS namesakes, ${hasSender} AS "hasSender", added.*
  FROM (VALUES (1)) AS single (one) LEFT JOIN added ON true`);

/** Creates a statement for a group, by id or uuid. @param text gets the condition for the group */
export function byKey(text: (found: string) => string) {
  const byId = named(text("integration_id = $1 AND id = :key::bigint"));
  const byUuid = named(text("integration_id = $1 AND uuid = :key::uuid"));
  return <Result>(
    run: Run<Result>,
    integration: number,
    key: GroupKey,
    values: Readonly<Record<string, Value>> = {},
  ): Promise<Result> =>
    "id" in key
      ? byId(run, integration, { ...values, key: key.id })
      : byUuid(run, integration, { ...values, key: key.uuid });
}

/** @param columns those that change */
const updateGroup = (columns: readonly (keyof NewGroup)[]) =>
  byKey(
    (found) => `
  WITH sender AS (${sender}), namesake AS (${sameName(`NOT (${found})`)}), changed AS (
    UPDATE contact_group SET ${columns.map((column) => `${column} = ${typed(column)},`).join("")}
      sender_id = CASE :sender::text WHEN 'kept' THEN sender_id WHEN 'none' THEN NULL
                                ELSE (SELECT id FROM sender) END
    WHERE ${found} AND ${hasSender} AND NOT EXISTS (SELECT 1 FROM namesake)
    RETURNING ${groupColumns}
  )
  SELECT (SELECT count(*) FROM contact_group WHERE ${found}) AS found,
    (SELECT count(*) FROM namesake) AS namesakes, ${hasSender} AS "hasSender", changed.*
  FROM (VALUES (1)) AS single (one) LEFT JOIN changed ON true`,
  );

/** Ruling 16: deletes its contacts, too. */
const deleteGroup = byKey(
  (found) => `
  WITH deleted AS (DELETE FROM contact_group WHERE ${found} RETURNING 1),
  counted AS (${deletedFrom("contact_group")})
  SELECT 1 FROM deleted`,
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

/** What a write of a group has found. */
interface Found {
  readonly namesakes: number;
  readonly hasSender: boolean;
}

/** A new group, and what its statement has found if it looks anything up. */
interface Added extends Partial<Found>, Pick<StoredGroup, "created_at"> {
  readonly id: number | null;
}

/** A group after an update, whose fields are null if nothing was changed. */
type Updated = StoredGroup & Found & { readonly found: number };

/**
 * Returns the store methods for sender IDs and groups.
 *
 * @param now time in microseconds since 1970
 * @param keyHash the key that every insert checks; null if it was looked up before
 */
export function recordMethods(
  queries: Queries,
  now: () => Microseconds,
  keyHash: Uint8Array | null = null,
): RecordStore {
  const { row, change, transact } = queries;
  const common = () => ({ now: Math.floor(now()), key_hash: keyHash });

  /** Runs a write that compares names. Without an index, unique ones need an integration lock. */
  async function written<Row>(
    integration: number,
    hasUniqueName: boolean,
    write: (run: Send) => Promise<readonly Row[]>,
  ): Promise<Row | undefined> {
    if (!hasUniqueName) return (await write(change))[0];
    return transact(async (send) => {
      await send("SELECT 1 FROM integration WHERE id = $1 FOR NO KEY UPDATE", integration);
      return (await write(send))[0];
    });
  }

  return {
    ...recordReads(queries, ofIntegration()),
    sliceOfSenderIds: slicer(queries, "sender_id", senderIdColumns),
    sliceOfGroups: slicer(queries, "contact_group", groupColumns),

    insertSenderId: async (integration, senderId) => {
      const values = { ...senderId, ...common() };
      const [added] = await insertSenderId(change<StoredSenderId>, integration, values);
      if (added !== undefined) return added;
      const owner = await row("SELECT 1 FROM integration WHERE id = $1", integration);
      if (owner === undefined) throw integrationDeleted();
      return undefined;
    },

    deleteSenderId: async (integration, name) =>
      isStorable(name) && (await deleteSenderId(change, integration, { name })).length > 0,

    insertGroup: async (integration, group, key = null, hasUniqueName = false) => {
      const uuid = randomUUID();
      const own = { ...common(), uuid, has_unique_name: hasUniqueName };
      const values = { ...group, ...senderValues(key), ...own };
      const insert = key === null && !hasUniqueName ? insertGroup : insertGroupChecked;
      const added = await written(integration, hasUniqueName, (run) =>
        insert(run<Added>, integration, values),
      );
      if ((added?.namesakes ?? 0) > 0) return "name taken";
      if (added?.hasSender === false) return "no sender ID";
      if (added === undefined || added.id === null) throw integrationDeleted();
      const { id, created_at } = added;
      return { ...group, uuid, contacts_count: 0, id, created_at };
    },

    updateGroup: async (integration, key, { sender_id, ...update }, uniqueNames = false) => {
      const hasUniqueName = uniqueNames && update.name !== undefined;
      const columns = givenGroupColumns.filter((column) => update[column] !== undefined);
      const own = { has_unique_name: hasUniqueName, name: update.name ?? null };
      const values = { ...update, ...senderValues(sender_id), ...own };
      const updated = await written(integration, hasUniqueName, (run) =>
        updateGroup(columns)(run<Updated>, integration, key, values),
      );
      if (updated!.found === 0) return "no group";
      if (updated!.namesakes > 0) return "name taken";
      if (!updated!.hasSender) return "no sender ID";
      // Deleted since the statement began.
      return updated!.id === null ? "no group" : updated!;
    },

    deleteGroup: async (integration, key) =>
      (await deleteGroup(change, integration, key)).length > 0,
  };
}

/** Returns a reader of slices. One statement reads a slice and its total, consistently. */
function slicer<Stored extends { readonly id: number }>(
  { select }: Queries,
  table: "sender_id" | "contact_group",
  columns: string,
): ReadSlice<Stored> {
  return async (integration, skip, count, before) => {
    const [below, offset] = before === undefined ? ["", "OFFSET $3"] : ["AND id < $3", ""];
    const rows = await select<Stored & { readonly total: number }>(
      `SELECT list.total, page.*
       FROM (SELECT ${table}_total AS total FROM integration WHERE id = $1) AS list LEFT JOIN (
         SELECT ${columns} FROM ${table} WHERE integration_id = $1 ${below}
         ORDER BY integration_id DESC, id DESC LIMIT $2 ${offset}
       ) AS page ON true`,
      integration,
      count,
      before ?? skip,
    );
    // An empty slice is one row of nulls with the total.
    return { items: rows.filter(({ id }) => id !== null), total: rows[0]?.total ?? 0 };
  };
}
