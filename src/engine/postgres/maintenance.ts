import { SendctlError } from "../../core/error.ts";
import { shellWord } from "../../core/text.ts";
import type {
  CheckReport,
  DatabaseInfo,
  IntegrityProblem,
  Maintenance,
  RecordCounts,
} from "../maintenance/maintenance.ts";
import { clockChecks, countsSql, noRecords, totalChecks } from "../maintenance/shared-sql.ts";
import { defaultIntegration } from "../store/store.ts";
import { type Address, type ConnectionRuntime, readAddress } from "./connection/address.ts";
import { connected } from "./connection/connections.ts";
import type { Connection } from "./connection/connection.ts";
import { migrations, schemaVersion, tables } from "./connection/migrations.ts";
import { openQueries } from "./queries.ts";
import { visible } from "./conditions.ts";

/** Timeouts in milliseconds. A statement may read a whole table. */
const limits = { statement: 600_000, lock: 10_000 };

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
    read: (connection: Connection, version: number) => Promise<Result>,
  ): Promise<Result> =>
    connected(address, limits, async (connection) => {
      const version = await schemaVersion(connection, address);
      await connection.send({ text: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" });
      return read(connection, version);
    });

  return {
    info: () =>
      reading(async (connection, version): Promise<DatabaseInfo> => {
        const isCreated = version > 0;
        const { server_version } = await oneRow<{ server_version: string }>(
          connection,
          "SHOW server_version",
        );
        return {
          database: database.shown,
          exists: isCreated,
          bytes: isCreated ? await bytesOf(connection, address) : 0,
          schema_version: isCreated ? version : null,
          postgres_version: server_version,
          ...(isCreated ? await oneRow<RecordCounts>(connection, countsSql(visible)) : noRecords),
        };
      }),

    check: () =>
      reading(async (connection, version): Promise<CheckReport> => {
        const problems = version > 0 ? await findProblems(connection, address) : [];
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
      const queries = await openQueries(address, limits);
      try {
        return await queries.transact((connection) => empty(connection, keepKeys));
      } finally {
        await queries.close();
      }
    },

    backup: async () => {
      throw usePostgres("backed up", "pg_dump", address);
    },
    prepareRestore: async () => {
      throw usePostgres("restored", "pg_restore", address);
    },
  };
}

function usePostgres(done: string, program: string, { schema }: Address): SendctlError {
  return new SendctlError("usage", `a PostgreSQL database is ${done} with PostgreSQL's own tools`, {
    hint: `${program} --schema=${shellWord(schema)}, or copy the records to a file: sendctl local copy --to FILE`,
  });
}

async function oneRow<Row>(connection: Connection, text: string): Promise<Row> {
  return (await connection.send({ text })).rows[0] as Row;
}

async function bytesOf(connection: Connection, { schema }: Address): Promise<number> {
  const sizes = tables.map((table) => `pg_total_relation_size('${schema}.${table}')`).join(" + ");
  return (await oneRow<{ bytes: number }>(connection, `SELECT ${sizes} AS bytes`)).bytes;
}

/** Deletes all records. Ids start again at 1; times keep rising (ruling 22). @returns the deleted counts */
async function empty(connection: Connection, keepKeys: boolean): Promise<RecordCounts> {
  const deleted = await oneRow<RecordCounts>(connection, countsSql(visible));
  const deleteKeys = keepKeys
    ? [
        `DELETE FROM integration WHERE id <> ${defaultIntegration}
         AND id NOT IN (SELECT integration_id FROM secret_key)`,
      ]
    : [
        "DELETE FROM secret_key",
        `DELETE FROM integration WHERE id <> ${defaultIntegration}`,
        `UPDATE clock SET last_key = 0, last_integration = ${defaultIntegration}`,
      ];
  const texts = [
    "TRUNCATE contact, contact_group, sender_id RESTART IDENTITY",
    ...deleteKeys,
    "DELETE FROM integration WHERE name IS NULL",
    `UPDATE integration SET sender_id_total = 0, sender_id_changes = sender_id_changes + 1,
       contact_group_total = 0, contact_group_changes = contact_group_changes + 1`,
    "UPDATE clock SET last_sender_id = 0, last_group = 0",
  ];
  await Promise.all(texts.map((text) => connection.send({ text })));
  return deleted;
}

/** The checks in a report: what PostgreSQL cannot know. It checks references, and `pg_amcheck` pages and indexes. */
const checkNames = ["schema", "totals", "clock"];

/** Ids that the clock has not given yet, by the column of the last one. */
const idChecks = [
  ["integration", "last_integration"],
  ["secret_key", "last_key"],
  ["sender_id", "last_sender_id"],
  ["contact_group", "last_group"],
].map(([table, last]) => ({
  name: "clock",
  sql: `SELECT '${table} ' || record.id || ' has an id that was not given yet' AS detail
        FROM ${table} AS record JOIN clock ON record.id > clock.${last}`,
}));

const checks = [...totalChecks(visible), ...clockChecks, ...idChecks];

/** Returns the problems of a database. Changes nothing. */
async function findProblems(
  connection: Connection,
  { schema }: Address,
): Promise<IntegrityProblem[]> {
  const { rows } = await connection.send({
    text: "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = $1",
    values: [schema],
  });
  const existing = new Set((rows as { name: string }[]).map(({ name }) => name));
  const missing = tables.filter((table) => !existing.has(table));
  if (missing.length > 0) {
    return missing.map((table) => ({ check: "schema", detail: `table ${table} is missing` }));
  }
  const problems: IntegrityProblem[] = [];
  for (const { name, sql } of checks) {
    const found = (await connection.send({ text: sql })).rows as { detail: string }[];
    for (const { detail } of found) problems.push({ check: name, detail });
  }
  return problems;
}

/** Findings about a PostgreSQL database, gathered without creating or changing anything. */
export interface ExaminedPostgres {
  /** Version of the server. */
  readonly server: string;
  /** Schema version; undefined if sendctl has created no tables yet. */
  readonly version: number | undefined;
  readonly newestVersion: number;
  readonly isEncrypted: boolean;
  /** Whether the database issued the key; undefined without a key or without tables. */
  readonly knowsKey: boolean | undefined;
}

/**
 * Examines a PostgreSQL database for `doctor`.
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
): Promise<ExaminedPostgres> {
  const address = readAddress(url, runtime, Math.max(1, timeout - 500));
  return connected(address, { statement: timeout, lock: timeout }, async (connection) => {
    const { rows } = await connection.send({ text: "SHOW server_version" });
    const version = await schemaVersion(connection, address);
    const isCreated = version > 0;
    const issued =
      isCreated && keyHash !== undefined
        ? await connection.send({ text: isIssued, values: [keyHash] })
        : undefined;
    return {
      server: (rows[0] as { server_version: string }).server_version,
      version: isCreated ? version : undefined,
      newestVersion: migrations.length,
      isEncrypted: address.tls !== false,
      knowsKey: issued && issued.count > 0,
    };
  });
}

const isIssued = "SELECT 1 FROM secret_key WHERE hash = $1";
