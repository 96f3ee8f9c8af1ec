import { SendctlError } from "../../core/error.ts";
import {
  rowsPerBatch,
  type CopiedClock,
  type CopySide,
  countsSql,
  noRecords,
  type DatabaseInfo,
  type Maintenance,
  type RecordCounts,
} from "../maintenance/maintenance.ts";
import type { BulkRow } from "../store/bulk.ts";
import { numberedNames, defaultIntegration } from "../store/stored.ts";
import { readAddress, type Address, type ConnectionRuntime } from "./address.ts";
import { inserter } from "./bulk.ts";
import { bulkLimits, type Send } from "./connection.ts";
import { createQueries, withQueries, type Queries } from "./queries.ts";
import { openQueries, schemaVersion } from "./schema.ts";

interface Database {
  readonly url: string;
  /** For messages, without the password. */
  readonly shown: string;
}

/**
 * Creates the maintenance operations for a PostgreSQL database.
 *
 * @param timeout maximum wait for a connection, in milliseconds
 */
export function createPostgresMaintenance(
  database: Database,
  runtime: ConnectionRuntime,
  timeout: number,
): Maintenance {
  const address = readAddress(database.url, runtime, timeout);
  const refuse = async (): Promise<never> => {
    const tools = "its own tools: pg_dump and pg_restore";
    const message = `a PostgreSQL database is checked, backed up and restored with ${tools}`;
    const hint = `pg_dump --schema=${address.schema}, or copy the records to a file: sendctl local copy --to FILE`;
    throw new SendctlError("usage", message, { hint });
  };
  return {
    info: () =>
      withQueries(createQueries(address, bulkLimits), async (queries): Promise<DatabaseInfo> => {
        const { server, version } = await versions(queries);
        const isCreated = version !== undefined;
        return {
          database: database.shown,
          exists: isCreated,
          bytes: isCreated ? await bytesOf(queries) : 0,
          schema_version: version ?? null,
          postgres_version: server,
          ...((isCreated && (await queries.row<RecordCounts>(countsSql))) || noRecords),
        };
      }),

    reset: async (keepKeys) => {
      const { version } = await withQueries(createQueries(address, bulkLimits), versions);
      if (version === undefined) return undefined;
      return withQueries(await openQueries(address, bulkLimits), ({ transact }) =>
        transact((send) => empty(send, address.schema, keepKeys)),
      );
    },

    knowsKey: (hash) =>
      withQueries(createQueries(address, bulkLimits), async ({ row }) => {
        return (await row("SELECT 1 FROM secret_key WHERE hash = $1", hash)) !== undefined;
      }),

    check: refuse,
    backup: refuse,
    restore: refuse,
  };
}

/** Returns the versions of the server and of the schema: undefined without tables of sendctl. */
async function versions({ row, select, address }: Queries) {
  const server = (await row<{ server_version: string }>("SHOW server_version"))!.server_version;
  return { server, version: (await schemaVersion(select, address)) || undefined };
}

/** Returns the size of the tables, or of their partitions. */
async function bytesOf({ row, address }: Queries): Promise<number> {
  const found = await row<{ bytes: number }>(
    `SELECT sum(pg_catalog.pg_total_relation_size(oid))::bigint AS bytes
     FROM pg_catalog.pg_class WHERE relkind = 'r' AND relnamespace = to_regnamespace($1)`,
    address.schema,
  );
  return found!.bytes;
}

const restart = (table: string, last: number): string =>
  `ALTER TABLE ${table} ALTER COLUMN id RESTART WITH ${last + 1}`;

/** Deletes the keys, and all integrations except the default one. */
const emptyKeys = [
  "DELETE FROM secret_key",
  `DELETE FROM integration WHERE id <> ${defaultIntegration}`,
  restart("secret_key", 0),
  restart("integration", defaultIntegration),
];

const emptyIntegrations = `
  DELETE FROM integration WHERE id <> ${defaultIntegration}
    AND id NOT IN (SELECT integration_id FROM secret_key)`;

/** Deletes all records. Ids start again at 1; times keep rising (ruling 22). @returns the counts */
async function empty(send: Send, schema: string, keepKeys: boolean): Promise<RecordCounts> {
  await send("LOCK TABLE integration");
  const [deleted] = await send<RecordCounts>(countsSql);
  const records = ["contact", "contact_group", "sender_id"].map((table) => `${schema}.${table}`);
  await send(`TRUNCATE ${records.join()} RESTART IDENTITY`);
  for (const text of keepKeys ? [emptyIntegrations] : emptyKeys) await send(text);
  await send("UPDATE integration SET sender_id_total = 0, contact_group_total = 0");
  return deleted!;
}

/** Returns a side of a copy: the read-only reader, or the writer, which creates missing tables. */
export function postgresCopySide({ url, shown }: Database, runtime: ConnectionRuntime): CopySide {
  const address = readAddress(url, runtime);
  const refuse = (problem: string, hint: string): SendctlError =>
    new SendctlError("usage", `the database ${shown} ${problem}`, { hint });
  return {
    name: shown,

    read: (use) =>
      withQueries(createQueries(address, bulkLimits), ({ transact }) =>
        transact(async (send) => {
          await send("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY");
          if ((await schemaVersion(send, address)) > 0) {
            const clock = () => readClock(send, address);
            return use({ rows: (sql) => rowsOf(send, sql), clock });
          }
          throw refuse("is empty", "copy one with records");
        }),
      ),

    write: async (use) =>
      withQueries(await openQueries(address, bulkLimits), ({ transact }) =>
        transact(async (send) => {
          // Other writers wait until the copy ends.
          await send("LOCK TABLE integration");
          if ((await send(anyRecord)).length > 0) {
            const hint = "copy to a new database, or reset that one first (sendctl local reset)";
            throw refuse("already contains records", hint);
          }
          // The default integration is copied like any other.
          await send("DELETE FROM integration");
          const finish = (clock: CopiedClock) => finishCopy(send, address, clock);
          return use({ insert: inserter(send, address), finish });
        }),
      ),
  };
}

/** Returns a row if the database has records apart from the default integration. */
const anyRecord = `
  SELECT 1 FROM integration WHERE id <> ${defaultIntegration}
  UNION ALL SELECT 1 FROM secret_key UNION ALL SELECT 1 FROM sender_id
  UNION ALL SELECT 1 FROM contact_group LIMIT 1`;

/** Yields the rows of a statement. */
async function* rowsOf(send: Send, sql: string): AsyncGenerator<BulkRow[]> {
  await send(`DECLARE copied CURSOR FOR ${sql}`);
  for (;;) {
    const rows = await send<BulkRow>(`FETCH ${rowsPerBatch} IN copied`);
    if (rows.length === 0) break;
    yield rows;
  }
  await send("CLOSE copied");
}

/** Reads the last ids of the tables; only stored ones if the role may not read a sequence. */
async function readClock(send: Send, { schema }: Address): Promise<CopiedClock> {
  const lastIds = numberedNames.map(
    (table) => `greatest((SELECT max(id) FROM ${table}), (
      SELECT last_value FROM pg_catalog.pg_sequences
      WHERE schemaname = $1 AND sequencename = '${table}_id_seq'), 0) AS ${table}`,
  );
  const newest = "(SELECT coalesce(max(newest), 0) FROM integration) AS newest";
  const [clock] = await send<CopiedClock>(`SELECT ${lastIds.join()}, ${newest}`, schema);
  return clock!;
}

const computeTotals = [
  `UPDATE integration SET
     sender_id_total = (SELECT count(*) FROM sender_id WHERE integration_id = integration.id),
     contact_group_total = (SELECT count(*) FROM contact_group WHERE integration_id = integration.id)`,
  `UPDATE contact_group SET contacts_count = found.count
   FROM (SELECT group_id, count(*) AS count FROM contact GROUP BY group_id) AS found
   WHERE found.group_id = contact_group.id`,
];

async function finishCopy(
  send: Send,
  { schema }: Address,
  clock: CopiedClock,
): Promise<RecordCounts> {
  for (const table of numberedNames) {
    const last = clock[table] ?? 0;
    await send(`SELECT setval('${schema}.${table}_id_seq', $1, $2)`, Math.max(1, last), last > 0);
  }
  await send("UPDATE integration SET newest = $1", clock["newest"]!);
  for (const text of computeTotals) await send(text);
  return (await send<RecordCounts>(countsSql))[0]!;
}
