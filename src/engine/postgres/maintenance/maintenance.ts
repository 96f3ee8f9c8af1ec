import { SendctlError } from "../../../contract/error.ts";
import { shellWord } from "../../../contract/text/shell-word.ts";
import type {
  CheckReport,
  DatabaseInfo,
  Maintenance,
  IntegrityProblem,
  RecordCounts,
} from "../../maintenance/maintenance.ts";
import { defaultIntegration } from "../../store.ts";
import { timestamp } from "../../records.ts";
import { readAddress, type Address, type ConnectionRuntime } from "../connection/address.ts";
import { connect, type Connection } from "../connection/connection.ts";
import { failureOf } from "../connection/failure.ts";
import { checkNames, findProblems } from "./integrity.ts";
import { migrate, oldestCompatible, schemaVersion, stepsBehind } from "../connection/migrate.ts";
import { migrations, tables } from "../connection/migrations.ts";
import { openQueries } from "../queries.ts";
import { visible } from "../conditions.ts";

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
  const noRecords: RecordCounts = {
    integrations: 0,
    keys: 0,
    sender_ids: 0,
    groups: 0,
    contacts: 0,
  };

  async function connected<Result>(
    use: (connection: Connection) => Promise<Result>,
  ): Promise<Result> {
    let connection: Connection | undefined;
    try {
      connection = await connect(address, limits);
      return await use(connection);
    } catch (error) {
      throw await failureOf(error, address);
    } finally {
      connection?.destroy();
    }
  }

  /** Runs `read` in a read-only transaction. @param read gets the version of the schema, 0 without tables */
  const reading = <Result>(
    read: (connection: Connection, version: number) => Promise<Result>,
    versionOf = schemaVersion,
  ): Promise<Result> =>
    connected(async (connection) => {
      const version = await versionOf(connection, address);
      await connection.send({ text: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" });
      return read(connection, version);
    });

  return {
    exists: () => reading(async (_, version) => version > 0),

    migrate: (applies) =>
      connected(async (connection) => {
        const version = await (applies ? migrate : schemaVersion)(connection, address);
        return {
          database: database.shown,
          from_version: version === 0 ? null : version,
          to_version: Math.max(version, migrations.length),
          compatible: version === 0 || oldestCompatible(migrations.length) <= version,
        };
      }),

    info: () =>
      reading(async (connection, version): Promise<DatabaseInfo> => {
        const isCreated = version > 0;
        const { rows } = await connection.send({ text: "SHOW server_version" });
        return {
          database: database.shown,
          exists: isCreated,
          bytes: isCreated ? await bytesOf(connection, address) : 0,
          schema_version: isCreated ? version : null,
          postgres_version: (rows[0] as { server_version: string }).server_version,
          ...(isCreated ? await countRecords(connection) : noRecords),
          ...(await statusesOf(connection, isCreated)),
          ...(await timesOf(connection, isCreated)),
        };
      }),

    check: () =>
      reading(async (connection, version): Promise<CheckReport> => {
        const problems: IntegrityProblem[] = [];
        let count = 0;
        if (version > 0) {
          for await (const problem of findProblems(connection, address)) {
            count += 1;
            if (problems.length < maxListed) problems.push(problem);
          }
        }
        return {
          database: database.shown,
          exists: version > 0,
          checks: checkNames,
          problem_count: count,
          problems,
          hint: "restore it from a backup of PostgreSQL: pg_restore",
        };
      }, knownVersion),

    reset: async (keepKeys) => {
      const isCreated = await reading(async (_, version) => version > 0, knownVersion);
      if (!isCreated) return undefined;
      const queries = await openQueries(address, limits);
      try {
        return await queries.transact((connection) => empty(connection, keepKeys), limits);
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

/** Returns the version of the schema. @throws SendctlError "database" if it is newer than this program, too */
async function knownVersion(connection: Connection, address: Address): Promise<number> {
  return migrations.length - (await stepsBehind(connection, address));
}

function usePostgres(done: string, program: string, { schema }: Address): SendctlError {
  return new SendctlError("usage", `a PostgreSQL database is ${done} with PostgreSQL's own tools`, {
    hint: `${program} --schema=${shellWord(schema)}, or copy the records to a file: sendctl local copy --to FILE`,
  });
}

async function countRecords(connection: Connection): Promise<RecordCounts> {
  const { rows } = await connection.send({
    text: `SELECT count(*) AS integrations, (SELECT count(*) FROM secret_key) AS keys,
             coalesce(sum(sender_id_total), 0)::bigint AS sender_ids,
             coalesce(sum(contact_group_total), 0)::bigint AS groups,
             (SELECT coalesce(sum(contacts_count), 0)::bigint FROM contact_group
              WHERE ${visible.contact_group}) AS contacts
           FROM integration WHERE ${visible.integration}`,
  });
  return rows[0] as RecordCounts;
}

async function bytesOf(connection: Connection, { schema }: Address): Promise<number> {
  const sizes = tables.map((table) => `pg_total_relation_size('${schema}.${table}')`).join(" + ");
  const { rows } = await connection.send({ text: `SELECT ${sizes} AS bytes` });
  return (rows[0] as { bytes: number }).bytes;
}

type Statuses = Pick<
  DatabaseInfo,
  "sender_ids_pending" | "sender_ids_approved" | "sender_ids_rejected"
>;

async function statusesOf(connection: Connection, isCreated: boolean): Promise<Statuses> {
  const found = new Map<string, number>();
  if (isCreated) {
    const { rows } = await connection.send({
      text: `SELECT status, count(*) AS count FROM sender_id WHERE ${visible.sender_id} GROUP BY status`,
    });
    for (const { status, count } of rows as { status: string; count: number }[]) {
      found.set(status, count);
    }
  }
  return {
    sender_ids_pending: found.get("PENDING") ?? 0,
    sender_ids_approved: found.get("APPROVED") ?? 0,
    sender_ids_rejected: found.get("REJECTED") ?? 0,
  };
}

function ends(order: "ASC" | "DESC"): string {
  return ["sender_id", "contact_group"]
    .map((table) => `(SELECT created_at FROM ${table} ORDER BY id ${order} LIMIT 1)`)
    .join(" UNION ALL ");
}

type Times = Pick<DatabaseInfo, "oldest_created_at" | "newest_created_at">;

/** Reads the oldest and the newest creation time. Times rise with the ids (ruling 22). */
async function timesOf(connection: Connection, isCreated: boolean): Promise<Times> {
  const none = { oldest_created_at: null, newest_created_at: null };
  if (!isCreated) return none;
  const { rows } = await connection.send({
    text: `SELECT (SELECT min(created_at) FROM (${ends("ASC")}) AS first) AS oldest,
                  (SELECT max(created_at) FROM (${ends("DESC")}) AS last) AS newest`,
  });
  const [{ oldest, newest }] = rows as [{ oldest: number | null; newest: number | null }];
  if (oldest === null || newest === null) return none;
  return { oldest_created_at: timestamp(oldest), newest_created_at: timestamp(newest) };
}

/** Deletes all records. Ids start again at 1; times keep rising (ruling 22). @returns the deleted counts */
async function empty(connection: Connection, keepKeys: boolean): Promise<RecordCounts> {
  const deleted = await countRecords(connection);
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
