import { joinLines } from "../../../core/json-text.ts";
import { existsSync, statSync } from "node:fs";
import {
  countsSql,
  noRecords,
  type CheckReport,
  type DatabaseInfo,
  type IntegrityProblem,
  type RecordCounts,
} from "../../maintenance/maintenance.ts";
import { codeOf } from "../connection/database-error.ts";
import { schemaDifferences } from "../connection/migrations.ts";
import {
  hasTables,
  logSize,
  openToRead,
  stepsBehind,
  withDatabase,
  type Database,
} from "../connection/open.ts";
import { throwIfStopped } from "./copy-file.ts";

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

/** A check of stored records: SQLite does not know what our totals and times mean. */
interface StoredCheck {
  readonly name: "totals" | "clock";
  /** Selects one row per problem, with its text as `detail`. */
  readonly sql: string;
}

/** Every stored total, and the rows it counts. */
const totals = [
  ["integration", "sender_id_total", "sender_id", "integration_id"],
  ["integration", "contact_group_total", "contact_group", "integration_id"],
  ["contact_group", "contacts_count", "contact", "group_id"],
] as const;

/** SQL of both databases. */
export const totalChecks: readonly StoredCheck[] = totals.map(([owner, total, of, by]) => ({
  name: "totals",
  sql: `SELECT '${owner} ' || ${owner}.id || ' has ${total} ' || ${owner}.${total} || ' but '
          || coalesce(found.count, 0) || ' rows in ${of}' AS detail
        FROM ${owner}
        LEFT JOIN (SELECT ${by} AS id, count(*) AS count FROM ${of} GROUP BY ${by}) AS found
          ON found.id = ${owner}.id
        WHERE ${owner}.${total} <> coalesce(found.count, 0)`,
}));

/** Tables whose rows have a time that an integration gives. */
const timed = ["secret_key", "sender_id", "contact_group"] as const;

/** Ruling 22: times of an integration increase with the ids. */
const timeChecks: readonly StoredCheck[] = timed.map((table) => ({
  name: "clock",
  sql: `SELECT '${table} ' || id || ' was created no later than ${table} ' || before AS detail
        FROM (SELECT id, created_at, lag(id) OVER of_owner AS before,
                lag(created_at) OVER of_owner AS time FROM ${table}
              WINDOW of_owner AS (PARTITION BY integration_id ORDER BY id)) AS one
        WHERE created_at <= time`,
}));

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
function findProblems(database: Database, wanted: readonly Check[]) {
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
          // Others are due to the disk or to another process, not to the content of the file.
          if (!/^SQLITE_(CORRUPT|NOTADB|ERROR)/.test(codeOf(error) ?? "")) throw error;
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
export async function checkDatabase(file: string, isQuick = false): Promise<CheckReport> {
  const wanted = isQuick ? quickChecks : checks;
  const names = [...new Set(wanted.map(({ name }) => name))];
  const hint = "restore it from a backup: sendctl local restore FILE";
  const noProblems = { database: file, checks: names, problem_count: 0, problems: [], hint };
  if (!existsSync(file)) return { ...noProblems, exists: false };
  const check = (database: Database): CheckReport => {
    stepsBehind(database, file);
    const { count, first } = findProblems(database, wanted);
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

/** Returns whether the database issued a key, by its hash. @throws SendctlError "database" */
export function knowsKey(file: string, hash: Uint8Array): Promise<boolean> {
  const find = (database: Database): boolean =>
    hasTables(database) &&
    database.prepare("SELECT 1 FROM secret_key WHERE hash = ?").get(hash) !== undefined;
  return withDatabase(file, find, () => openToRead(file));
}
