import { SendctlError } from "../../core/error.ts";
import {
  numberedNames,
  rowsPerBatch,
  type CopiedRow,
  type CopyReader,
  type CopySide,
  type CopyWriter,
} from "../maintenance/copy.ts";
import {
  countsSql,
  noRecords,
  type DatabaseInfo,
  type Maintenance,
  type RecordCounts,
} from "../maintenance/maintenance.ts";
import { defaultIntegration } from "../store/store.ts";
import { readAddress, type Address, type ConnectionRuntime } from "./address.ts";
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

/** Returns the version of the server, and the one of the schema: undefined if sendctl has created no tables yet. */
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

/** Deletes all records. Ids start again at 1; times keep rising (ruling 22). @returns the deleted counts */
async function empty(send: Send, schema: string, keepKeys: boolean): Promise<RecordCounts> {
  await send("LOCK TABLE integration");
  const [deleted] = await send<RecordCounts>(countsSql);
  const records = ["contact", "contact_group", "sender_id"].map((table) => `${schema}.${table}`);
  await send(`TRUNCATE ${records.join()} RESTART IDENTITY`);
  for (const text of keepKeys ? [emptyIntegrations] : emptyKeys) await send(text);
  await send("UPDATE integration SET sender_id_total = 0, contact_group_total = 0");
  return deleted!;
}

/** Returns the reader or writer of a copy: of a database, read-only, or to one, in which it creates missing tables. */
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
          if ((await schemaVersion(send, address)) > 0) return use(readerOf(send, address));
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
          return use(writerOf(send, address));
        }),
      ),
  };
}

/** Returns a row if the database has records apart from the default integration. */
const anyRecord = `
  SELECT 1 FROM integration WHERE id <> ${defaultIntegration}
  UNION ALL SELECT 1 FROM secret_key UNION ALL SELECT 1 FROM sender_id
  UNION ALL SELECT 1 FROM contact_group LIMIT 1`;

function readerOf(send: Send, { schema }: Address): CopyReader {
  return {
    rows: async function* (table, columns) {
      await send(`DECLARE copied CURSOR FOR SELECT ${columns.join()} FROM ${table} ORDER BY id`);
      for (;;) {
        const rows = await send<CopiedRow>(`FETCH ${rowsPerBatch} IN copied`);
        if (rows.length === 0) break;
        yield rows;
      }
      await send("CLOSE copied");
    },

    clock: async () => {
      const sql = "SELECT coalesce(max(newest), 0) AS newest FROM integration";
      const [found] = await send<{ newest: number }>(sql);
      const lastIds: Record<string, number> = {};
      for (const table of numberedNames) lastIds[table] = await lastId(send, schema, table);
      return { lastIds, newest: found!.newest };
    },
  };
}

/** Returns the last id that a table has given. A role that may not read its sequence knows only those that are stored. */
async function lastId(send: Send, schema: string, table: string): Promise<number> {
  const [found] = await send<{ last: number }>(
    `SELECT greatest((SELECT max(id) FROM ${table}), (
       SELECT last_value FROM pg_catalog.pg_sequences
       WHERE format('%I.%I', schemaname, sequencename) = pg_get_serial_sequence($1, 'id')), 0) AS last`,
    `${schema}.${table}`,
  );
  return found!.last;
}

/** Returns a value as PostgreSQL reads it in JSON. */
function jsonOf(value: CopiedRow[string]): CopiedRow[string] {
  return value instanceof Uint8Array ? `\\x${Buffer.from(value).toString("hex")}` : value;
}

const computeTotals = [
  `UPDATE integration SET
     sender_id_total = (SELECT count(*) FROM sender_id WHERE integration_id = integration.id),
     contact_group_total = (SELECT count(*) FROM contact_group WHERE integration_id = integration.id)`,
  `UPDATE contact_group SET contacts_count = found.count
   FROM (SELECT group_id, count(*) AS count FROM contact GROUP BY group_id) AS found
   WHERE found.group_id = contact_group.id`,
];

function writerOf(send: Send, { schema }: Address): CopyWriter {
  return {
    insert: async (table, columns, rows) => {
      // As JSON, so that the table says which types the columns have.
      const given = rows.map((row) =>
        Object.fromEntries(columns.map((column) => [column, jsonOf(row[column]!)])),
      );
      await send(
        `INSERT INTO ${table} (${columns.join()})
         SELECT ${columns.join()} FROM json_populate_recordset(NULL::${schema}.${table}, $1)`,
        JSON.stringify(given),
      );
    },

    finish: async ({ lastIds, newest }) => {
      for (const table of numberedNames) {
        const last = lastIds[table] ?? 0;
        const sequence = `pg_get_serial_sequence('${schema}.${table}', 'id')`;
        await send(`SELECT setval(${sequence}, $1, $2)`, Math.max(1, last), last > 0);
      }
      await send("UPDATE integration SET newest = $1", newest);
      for (const text of computeTotals) await send(text);
      const [counts] = await send<RecordCounts>(countsSql);
      return counts!;
    },
  };
}
