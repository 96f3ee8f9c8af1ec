import { SendctlError } from "../../core/error.ts";
import { shellWord } from "../../core/text.ts";
import type {
  CheckReport,
  DatabaseInfo,
  IntegrityProblem,
  Maintenance,
  RecordCounts,
} from "../maintenance/maintenance.ts";
import {
  countsSql,
  noRecords,
  timeChecks,
  timed,
  totalChecks,
  type StoredCheck,
} from "../maintenance/shared-sql.ts";
import { defaultIntegration } from "../store/store.ts";
import { type Address, type ConnectionRuntime, readAddress } from "./connection/address.ts";
import type { Send } from "./connection/connection.ts";
import { newestVersion, schemaVersion } from "./connection/migrations.ts";
import { tables } from "./connection/tables.ts";
import { createQueries, openQueries, withQueries } from "./queries.ts";

/** Timeouts in milliseconds. A statement may read a whole table. */
const limits = { statement: 600_000 };

/** Maximum number of problems in a report; the rest are counted. */
const maxListed = 100;

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
  /** Runs `read` in a read-only transaction. @param read gets the version of the schema, 0 without tables */
  const reading = <Result>(
    read: (send: Send, version: number) => Promise<Result>,
  ): Promise<Result> =>
    withQueries(createQueries(address, limits), ({ transact }) =>
      transact(async (send) => {
        await send("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY");
        return read(send, await schemaVersion(send, address));
      }),
    );

  return {
    info: () =>
      reading(async (send, version): Promise<DatabaseInfo> => {
        const isCreated = version > 0;
        return {
          database: database.shown,
          exists: isCreated,
          bytes: isCreated ? await bytesOf(send, address) : 0,
          schema_version: isCreated ? version : null,
          postgres_version: await serverVersion(send),
          ...(isCreated ? await oneRow<RecordCounts>(send, countsSql) : noRecords),
        };
      }),

    check: () =>
      reading(async (send, version): Promise<CheckReport> => {
        const problems = version > 0 ? await findProblems(send, address) : [];
        return {
          database: database.shown,
          exists: version > 0,
          checks: checkNames,
          problem_count: problems.length,
          problems: problems.slice(0, maxListed),
          hint: "restore it from a backup of PostgreSQL: pg_restore",
        };
      }),

    reset: async (keepKeys) => {
      const isCreated = await reading(async (_, version) => version > 0);
      if (!isCreated) return undefined;
      return withQueries(await openQueries(address, limits), ({ transact }) =>
        transact((send) => empty(send, address, keepKeys)),
      );
    },

    backup: async () => {
      const records = "the records to a file: sendctl local copy --to FILE";
      throw usePostgres("backed up", "pg_dump", records, address);
    },
    restore: async () => {
      const records = "a backup of SQLite: sendctl local copy --database FILE --to postgres://…";
      throw usePostgres("restored", "pg_restore", records, address);
    },
  };
}

function usePostgres(
  done: string,
  program: string,
  records: string,
  { schema }: Address,
): SendctlError {
  const hint = `${program} --schema=${shellWord(schema)}, or copy ${records}`;
  const message = `a PostgreSQL database is ${done} with PostgreSQL's own tools`;
  return new SendctlError("usage", message, { hint });
}

async function oneRow<Row>(send: Send, text: string): Promise<Row> {
  return (await send<Row>(text))[0]!;
}

async function serverVersion(send: Send): Promise<string> {
  return (await oneRow<{ server_version: string }>(send, "SHOW server_version")).server_version;
}

/** Returns the size of the tables. One that is partitioned has no size of its own, and others have no partitions. */
async function bytesOf(send: Send, { schema }: Address): Promise<number> {
  const size = "pg_total_relation_size";
  const sizes = tables.map((table) => {
    const name = `'${schema}.${table}'`;
    return `coalesce((SELECT sum(${size}(relid)) FROM pg_partition_tree(${name})), ${size}(${name}))`;
  });
  const text = `SELECT (${sizes.join(" + ")})::bigint AS bytes`;
  return (await oneRow<{ bytes: number }>(send, text)).bytes;
}

const restart = (table: string, last: number): string =>
  `ALTER TABLE ${table} ALTER COLUMN id RESTART WITH ${last + 1}`;

/** Deletes all records. Ids start again at 1; times keep rising (ruling 22). @returns the deleted counts */
async function empty(send: Send, { schema }: Address, keepKeys: boolean): Promise<RecordCounts> {
  await send("LOCK TABLE integration");
  const deleted = await oneRow<RecordCounts>(send, countsSql);
  const deleteKeys = keepKeys
    ? [
        `DELETE FROM integration WHERE id <> ${defaultIntegration}
         AND id NOT IN (SELECT integration_id FROM secret_key)`,
      ]
    : [
        "DELETE FROM secret_key",
        `DELETE FROM integration WHERE id <> ${defaultIntegration}`,
        restart("secret_key", 0),
        restart("integration", defaultIntegration),
      ];
  const truncated = ["contact", "contact_group", "sender_id"].map((name) => `${schema}.${name}`);
  const texts = [
    `TRUNCATE ${truncated.join()} RESTART IDENTITY`,
    ...deleteKeys,
    "UPDATE integration SET sender_id_total = 0, contact_group_total = 0",
  ];
  for (const text of texts) await send(text);
  return deleted;
}

/** The checks in a report: what PostgreSQL cannot know. It checks references, and `pg_amcheck` pages and indexes. */
const checkNames = ["schema", "totals", "clock"];

/** Ruling 22: the newest time of an integration is never behind its records. */
const newestChecks = timed.map((table): StoredCheck => ({
  name: "clock",
  sql: `SELECT '${table} ' || one.id || ' was created after the newest time of its integration' AS detail
        FROM ${table} AS one JOIN integration ON integration.id = integration_id
        WHERE one.created_at > newest`,
}));

const checks = [...totalChecks, ...newestChecks, ...timeChecks];

/** Returns the problems of a database. Changes nothing. */
async function findProblems(send: Send, { schema }: Address): Promise<IntegrityProblem[]> {
  const found = await send<{ name: string }>(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = $1",
    schema,
  );
  const existing = new Set(found.map(({ name }) => name));
  const missing = tables.filter((table) => !existing.has(table));
  if (missing.length > 0) {
    return missing.map((table) => ({ check: "schema", detail: `table ${table} is missing` }));
  }
  const problems: IntegrityProblem[] = [];
  for (const { name, sql } of checks) {
    const found = await send<{ detail: string }>(sql);
    for (const { detail } of found) problems.push({ check: name, detail });
  }
  return problems;
}

/**
 * Examines a PostgreSQL database for `doctor`, without creating or changing anything.
 *
 * @param timeout in milliseconds
 * @param keyHash hash of the key to look up
 * @throws SendctlError "usage" for an invalid address, "database" if the database cannot be used
 */
export async function examinePostgres(
  url: string,
  runtime: ConnectionRuntime,
  timeout: number,
  keyHash: Uint8Array | undefined,
) {
  const address = readAddress(url, runtime, Math.max(1, timeout - 500));
  return withQueries(createQueries(address, { statement: timeout }), async ({ select: send }) => {
    const server = await serverVersion(send);
    const version = await schemaVersion(send, address);
    const sql = "SELECT 1 FROM secret_key WHERE hash = $1";
    const isKnown = async (): Promise<boolean> =>
      version > 0 && keyHash !== undefined && (await send(sql, keyHash)).length > 0;
    return {
      /** Version of the server. */
      server,
      /** Schema version; undefined if sendctl has created no tables yet. */
      version: version > 0 ? version : undefined,
      newestVersion,
      isEncrypted: address.tls !== false,
      /** Whether the database issued the key. */
      knowsKey: await isKnown(),
    };
  });
}
