import { joinLines } from "../../../core/json-text.ts";
import type { IntegrityProblem } from "../../maintenance/maintenance.ts";
import { codeOf, isAltered } from "../connection/database-error.ts";
import { schemaDifferences } from "../connection/migrations.ts";
import { type Database } from "../connection/open.ts";
import { throwIfStopped } from "./copy-file.ts";
import { hasTables } from "./record-counts.ts";
import { timeChecks, timed, totalChecks, type StoredCheck } from "../../maintenance/shared-sql.ts";

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
export const checks: readonly Check[] = [
  { name: "schema", isOfRows: false, find: schemaDifferences },
  { name: "integrity", isOfRows: false, find: integrity },
  { name: "references", isOfRows: false, find: orphans },
  ...[...totalChecks, ...clockChecks, ...rangeChecks, ...timeChecks].map(storedCheck),
];

/** The checks that do not read every record with SQL, for `doctor`. */
export const quickChecks = checks.filter(({ isOfRows }) => !isOfRows);

/**
 * Finds the problems of a database, without changing it. Runs in one transaction, so that every
 * check sees the same snapshot. With another schema, no row is read with SQL: a view could be in the place of a table.
 *
 * @returns their number, and the first of them
 */
export function findProblems(database: Database, wanted: readonly Check[] = checks) {
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
