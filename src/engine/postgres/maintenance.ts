import { SendctlError } from "../../core/error.ts";
import {
  countsSql,
  noRecords,
  type DatabaseInfo,
  type Maintenance,
  type RecordCounts,
} from "../maintenance/maintenance.ts";
import { defaultIntegration } from "../store/store.ts";
import { readAddress, type ConnectionRuntime } from "./address.ts";
import type { Send } from "./connection.ts";
import { createQueries, openQueries, withQueries, type Queries } from "./queries.ts";
import { schemaVersion } from "./schema.ts";

/** Timeouts in milliseconds. A statement may read a whole table. */
const limits = { statement: 600_000 };

/**
 * Creates the maintenance operations for a PostgreSQL database.
 *
 * @param timeout maximum wait for a connection, in milliseconds
 */
export function createPostgresMaintenance(
  database: { readonly url: string; readonly shown: string },
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
      withQueries(createQueries(address, limits), async (queries): Promise<DatabaseInfo> => {
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
      const { version } = await withQueries(createQueries(address, limits), versions);
      if (version === undefined) return undefined;
      return withQueries(await openQueries(address, limits), ({ transact }) =>
        transact((send) => empty(send, address.schema, keepKeys)),
      );
    },

    knowsKey: (hash) =>
      withQueries(createQueries(address, limits), async ({ row }) => {
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
