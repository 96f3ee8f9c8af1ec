import { existsSync, statSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { stoppedBy } from "../../core/error.ts";
import { joinLines } from "../../core/json-text.ts";
import {
  countsSql,
  noRecords,
  type CheckReport,
  type DatabaseInfo,
  type IntegrityProblem,
  type RecordCounts,
} from "../maintenance/maintenance.ts";
import { openMemory, openToRead, withDatabase, type Database } from "./database-file.ts";
import { hasTables, logSize, migrations, stepsBehind } from "./schema.ts";

/** Maximum number of problems to report. */
const maxReported = 100;

/** A check, and a statement that selects the description of each problem as `detail`. */
interface Check {
  readonly name: "integrity" | "references" | "totals" | "clock";
  readonly sql: string;
}

/** Compares every stored total with the rows it counts. */
const totalChecks: readonly Check[] = [
  ["integration", "sender_id_total", "sender_id", "integration_id"],
  ["integration", "contact_group_total", "contact_group", "integration_id"],
  ["contact_group", "contacts_count", "contact", "group_id"],
].map(([owner, total, of, by]) => ({
  name: "totals",
  sql: `SELECT '${owner} ' || ${owner}.id || ' has ${total} ' || ${owner}.${total} || ' but '
          || coalesce(found.count, 0) || ' rows in ${of}' AS detail
        FROM ${owner}
        LEFT JOIN (SELECT ${by} AS id, count(*) AS count FROM ${of} GROUP BY ${by}) AS found
          ON found.id = ${owner}.id
        WHERE ${owner}.${total} <> coalesce(found.count, 0)`,
}));

/**
 * Every check but that of the schema, also of backups. SQLite stops searching a damaged file after
 * 100 problems. New records follow the clock (ruling 22), and responses end at the year 9999.
 */
const checks: readonly Check[] = [
  {
    name: "integrity",
    sql: `SELECT integrity_check AS detail FROM pragma_integrity_check WHERE detail <> 'ok'`,
  },
  {
    name: "references",
    sql: `SELECT 'row ' || rowid || ' of ' || "table" || ' refers to a missing row of ' || parent AS detail
          FROM pragma_foreign_key_check`,
  },
  ...totalChecks,
  {
    name: "clock",
    sql: `SELECT 'the clock has not one time, which is that of the newest record or later' AS detail
          WHERE (SELECT count(*) FROM clock) <> 1 OR (SELECT newest FROM clock) NOT BETWEEN (
            SELECT max(created_at) FROM (
              SELECT created_at FROM integration UNION ALL SELECT created_at FROM secret_key
              UNION ALL SELECT created_at FROM sender_id UNION ALL SELECT created_at FROM contact_group
            )) AND unixepoch('9999-12-31') * 1000000`,
  },
];

/**
 * Returns the tables, indexes, triggers and views that differ from those that the migrations up to
 * the database's version create, word for word. Reads no row of them.
 */
function schemaDifferences(database: Database): readonly string[] {
  const version = Math.max(0, database.pragma("user_version", { simple: true }) as number);
  const reference = openMemory(migrations.slice(0, version));
  const [expected, found] = [partsOf(reference), partsOf(database)];
  reference.close();
  return [...new Set([...expected.keys(), ...found.keys()])]
    .filter((part) => expected.get(part) !== found.get(part))
    .map((part) => {
      if (!found.has(part)) return `${part} is missing`;
      return `${part} ${expected.has(part) ? "was altered" : "is not one of sendctl's"}`;
    });
}

/** Returns the SQL of each part of the schema, without SQLite's tables and constraint indexes. */
function partsOf(database: Database): ReadonlyMap<string, string> {
  const rows = database
    .prepare<[]>(
      `SELECT type || ' ' || name, sql FROM sqlite_schema
       WHERE sql IS NOT NULL AND substr(name, 1, 7) <> 'sqlite_' ORDER BY name`,
    )
    .raw()
    .all();
  return new Map(rows as [string, string][]);
}

/**
 * Finds the problems of a database, without changing it, in one transaction: every check sees the
 * same snapshot. With another schema, nothing is read with SQL: a view could replace a table.
 *
 * @throws SendctlError "cancelled" or "terminated", after the current check
 */
async function problemsOf(
  database: Database,
  signal: AbortSignal,
): Promise<readonly IntegrityProblem[]> {
  database.exec("BEGIN");
  let problems: readonly IntegrityProblem[] = schemaDifferences(database).map((detail) => ({
    check: "schema",
    detail,
  }));
  for (const { name: check, sql } of problems.length === 0 && hasTables(database) ? checks : []) {
    const found = database.prepare<[]>(sql).pluck().all() as string[];
    problems = problems.concat(found.map((detail) => ({ check, detail: joinLines(detail, ", ") })));
    await throwIfStopped(signal);
  }
  database.exec("COMMIT");
  return problems;
}

/**
 * Throws once the process has been asked to stop. Signals that arrived while SQLite was busy get
 * time to be delivered; the current turn of the event loop may be past that point, hence two.
 *
 * @throws SendctlError "cancelled" or "terminated"
 */
export async function throwIfStopped(signal: AbortSignal): Promise<void> {
  await setImmediate();
  await setImmediate();
  if (signal.aborted) throw stoppedBy(signal.reason, "Interrupted: nothing was changed");
}

/** Returns a copy's first problem, to end a sentence, or undefined. @throws as `problemsOf` */
export async function damageOf(copy: Database, signal: AbortSignal): Promise<string | undefined> {
  const [first, ...others] = await problemsOf(copy, signal);
  return first && `${first.detail}${others.length === 0 ? "" : ` (and ${others.length} more)`}`;
}

/** Checks a consistent snapshot while other processes write. @throws SendctlError "database" */
export async function checkDatabase(file: string, signal: AbortSignal): Promise<CheckReport> {
  const exists = existsSync(file);
  const find = (database: Database) => problemsOf(database, signal);
  const problems = exists ? await reading(file, find) : [];
  return {
    database: file,
    exists,
    checks: ["schema", ...new Set(checks.map(({ name }) => name))],
    problem_count: problems.length,
    problems: problems.slice(0, maxReported),
    hint: "restore it from a backup: sendctl local restore FILE",
  };
}

/** Runs `use` on an existing database and leaves it unchanged. @throws SendctlError "database" */
export function reading<Result>(
  file: string,
  use: (database: Database) => Promise<Result> | Result,
): Promise<Result> {
  const check = (database: Database): Promise<Result> | Result => {
    stepsBehind(database, file);
    return use(database);
  };
  return withDatabase(file, check, () => openToRead(file));
}

/** Counts the records. */
export function countRecords(database: Database): RecordCounts {
  if (!hasTables(database)) return noRecords;
  return database.prepare<[]>(countsSql).get() as RecordCounts;
}

/** Returns information about a database without changing it. @throws SendctlError "database" */
export async function databaseInfo(file: string): Promise<DatabaseInfo> {
  const missing = { exists: false, bytes: 0, log_bytes: 0, schema_version: null, ...noRecords };
  if (!existsSync(file)) return { database: file, ...missing };
  return reading(file, (database) => ({
    database: file,
    exists: true,
    bytes: statSync(file).size,
    log_bytes: logSize(file),
    schema_version: database.pragma("user_version", { simple: true }) as number,
    sqlite_version: database.prepare<[]>("SELECT sqlite_version()").pluck().get() as string,
    ...countRecords(database),
  }));
}

/** Returns whether the database issued a key, by its hash. @throws SendctlError "database" */
export function knowsKey(file: string, hash: Uint8Array): Promise<boolean> {
  return reading(file, (database) => {
    const sql = "SELECT 1 FROM secret_key WHERE hash = ?";
    return hasTables(database) && database.prepare(sql).get(hash) !== undefined;
  });
}
