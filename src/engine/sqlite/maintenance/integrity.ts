import { joinLines } from "../../../core/json-text.ts";
import { existsSync, statSync } from "node:fs";
import type {
  CheckReport,
  DatabaseInfo,
  IntegrityProblem,
  RecordCounts,
} from "../../maintenance/maintenance.ts";
import { codeOf, databaseError, isAltered } from "../connection/database-error.ts";
import { migrations, schemaDifferences } from "../connection/migrations.ts";
import {
  hasTables,
  logSize,
  openToRead,
  refuseReadOnly,
  stepsBehind,
  withDatabase,
  type Database,
} from "../connection/open.ts";
import { throwIfStopped } from "./copy-file.ts";
import {
  countsSql,
  noRecords,
  timeChecks,
  timed,
  totalChecks,
  type StoredCheck,
} from "../../maintenance/shared-sql.ts";

/** Maximum number of problems to report. */
const maxReported = 100;

/**
 * Maximum number of problems that SQLite looks for: in a damaged file it would search for a very
 * long time.
 */
const maxSearched = 10_000;

interface Check {
  readonly name: string;
  /** Whether it reads records with SQL. */
  readonly isOfRows: boolean;
  /** Yields one description per problem. */
  readonly find: (database: Database) => Iterable<unknown>;
}

/** The clock is never behind the records. */
const clockChecks: readonly StoredCheck[] = [
  {
    name: "clock",
    sql: `SELECT 'the clock has ' || count(*) || ' rows instead of 1' AS detail FROM clock
          HAVING count(*) <> 1`,
  },
  ...["integration", ...timed].map((table): StoredCheck => ({
    name: "clock",
    sql: `SELECT '${table} ' || one.id || ' was created after the newest time of the clock' AS detail
            FROM ${table} AS one JOIN clock ON one.created_at > clock.newest`,
  })),
];

/** Times that a response can show: from 1970 to the end of the year 9999, in microseconds. */
const maxTime = 253_402_300_799_999_999n;
const rangeChecks = ["integration", ...timed].map((table): StoredCheck => ({
  name: "clock",
  sql: `SELECT '${table} ' || id || ' has a time that no date has' AS detail FROM ${table}
        WHERE typeof(created_at) <> 'integer' OR created_at < 0 OR created_at > ${maxTime}`,
}));

/** Every check, also of a backup and of what is restored. */
const checks: readonly Check[] = [
  { name: "schema", isOfRows: false, find: schemaDifferences },
  { name: "integrity", isOfRows: false, find: integrity },
  { name: "references", isOfRows: false, find: orphans },
  ...[...totalChecks, ...clockChecks, ...rangeChecks, ...timeChecks].map(storedCheck),
];

/** The checks that do not read every record with SQL, for `doctor`. */
const quickChecks = checks.filter(({ isOfRows }) => !isOfRows);

/**
 * Finds the problems of a database, without changing it. Runs in one transaction, so that every
 * check sees the same snapshot. With another schema, no row is read with SQL: a view could be in the place of a table.
 *
 * @returns their number, and the first of them
 */
function findProblems(database: Database, wanted: readonly Check[] = checks) {
  let count = 0;
  const first: IntegrityProblem[] = [];
  const report = (check: string, detail: string): void => {
    count += 1;
    if (first.length < maxReported) first.push({ check, detail });
  };
  database
    .transaction(() => {
      for (const { name, find, isOfRows } of wanted) {
        if (isOfRows && first[0]?.check === "schema") break;
        try {
          for (const detail of find(database)) report(name, String(detail));
        } catch (error) {
          if (!isContentError(error, database)) throw error;
          report(name, `cannot be checked: ${(error as Error).message}`);
        }
      }
    })
    .deferred();
  return { count, first };
}

/**
 * Returns what is wrong with a copy that nothing else uses, as the end of a sentence; undefined if it passes its checks.
 *
 * @throws SendctlError "cancelled" or "terminated", after the current check
 */
export async function damageOf(copy: Database, signal: AbortSignal): Promise<string | undefined> {
  for (const check of checks) {
    const { count, first } = findProblems(copy, [check]);
    await throwIfStopped(signal);
    if (first[0] === undefined) continue;
    return `${first[0].detail}${count === 1 ? "" : ` (and ${count - 1} more)`}`;
  }
  return undefined;
}

/**
 * Returns whether an error is due to the content of the file, not to the disk, another process or
 * our SQL.
 */
function isContentError(error: unknown, database: Database): boolean {
  const code = codeOf(error) ?? "";
  return /^SQLITE_(CORRUPT|NOTADB)/.test(code) || (code === "SQLITE_ERROR" && isAltered(database));
}

function* integrity(database: Database): Iterable<string> {
  const rows = database.prepare<[]>(`PRAGMA integrity_check(${maxSearched})`).pluck().all();
  for (const row of rows) {
    if (row !== "ok") yield joinLines(String(row), ", ");
  }
}

function* orphans(database: Database): Iterable<string> {
  type Orphan = { readonly table: string; readonly rowid: number; readonly parent: string };
  for (const row of database.prepare<[]>("PRAGMA foreign_key_check").iterate()) {
    const { table, rowid, parent } = row as Orphan;
    yield `row ${rowid} of ${table} refers to a missing row of ${parent}`;
  }
}

/** Returns a check of stored records. An empty file has no tables yet. */
function storedCheck({ name, sql }: StoredCheck): Check {
  return {
    name,
    isOfRows: true,
    find: (database) => (hasTables(database) ? database.prepare<[]>(sql).pluck().iterate() : []),
  };
}

/** Checks a consistent snapshot while other processes write. @throws SendctlError "database" */
export async function checkDatabase(file: string): Promise<CheckReport> {
  const names = [...new Set(checks.map(({ name }) => name))];
  const hint = "restore it from a backup: sendctl local restore FILE";
  const noProblems = { database: file, checks: names, problem_count: 0, problems: [], hint };
  if (!existsSync(file)) return { ...noProblems, exists: false };
  const check = (database: Database): CheckReport => {
    stepsBehind(database, file);
    const { count, first } = findProblems(database);
    return { ...noProblems, exists: true, problem_count: count, problems: first };
  };
  return withDatabase(file, check, () => openToRead(file));
}

/** Counts the records. */
export function countRecords(database: Database): RecordCounts {
  if (!hasTables(database)) return noRecords;
  return database.prepare<[]>(countsSql).get() as RecordCounts;
}

/** Returns information about a database, without creating or changing it. @throws SendctlError "database" */
export async function databaseInfo(file: string): Promise<DatabaseInfo> {
  if (!existsSync(file)) {
    const schema_version = null;
    return { database: file, exists: false, bytes: 0, log_bytes: 0, schema_version, ...noRecords };
  }
  const read = (database: Database): DatabaseInfo => {
    stepsBehind(database, file);
    return {
      database: file,
      exists: true,
      bytes: statSync(file).size,
      log_bytes: logSize(file),
      schema_version: database.pragma("user_version", { simple: true }) as number,
      sqlite_version: database.prepare<[]>("SELECT sqlite_version()").pluck().get() as string,
      ...countRecords(database),
    };
  };
  return withDatabase(file, read, () => openToRead(file));
}

/** The schema version of this release. */
export const newestVersion = migrations.length;

/** Maximum size of a database that `doctor` checks, in bytes. */
const maxCheckedBytes = 256 * 1024 * 1024;

/**
 * Opens a database for `doctor` while other processes may use it, and closes it after `use`. Its functions throw a SendctlError
 * "database" of their own.
 *
 * @param timeout how long to wait for other processes, in milliseconds
 * @throws SendctlError "database" if it cannot be opened
 */
export function examineDatabase<Result>(
  file: string,
  timeout: number,
  use: (found: ReturnType<typeof examined>) => Result,
): Promise<Result> {
  const open = (): Database => {
    const database = openToRead(file, timeout);
    refuseReadOnly(file);
    return database;
  };
  return withDatabase(file, (database) => use(examined(file, database)), open);
}

function examined(file: string, database: Database) {
  /** Returns a function whose errors name the file. */
  const named =
    <Given extends unknown[], Found>(read: (...given: Given) => Found) =>
    (...given: Given): Found => {
      try {
        return read(...given);
      } catch (error) {
        throw databaseError(error, file, database);
      }
    };
  return {
    /** Returns the number of missing migrations. */
    stepsBehind: named(() => stepsBehind(database, file)),
    /** Returns what SQLite finds; undefined if the database is too large to check within a few seconds. */
    problems: named((): readonly string[] | undefined => {
      if (statSync(file).size + logSize(file) > maxCheckedBytes) return undefined;
      return findProblems(database, quickChecks).first.map(({ detail }) => detail);
    }),
    /** Returns whether the database issued the key with this hash. */
    knowsKey: named((hash: Uint8Array): boolean => {
      const sql = "SELECT 1 FROM secret_key WHERE hash = ?";
      return database.prepare(sql).get(hash) !== undefined;
    }),
  };
}
