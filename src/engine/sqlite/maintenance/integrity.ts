import { joinLines } from "../../../core/json-text.ts";
import type { IntegrityProblem } from "../../maintenance/maintenance.ts";
import { codeOf, isAltered } from "../connection/database-error.ts";
import { schemaDifferences } from "../connection/migrations.ts";
import { type Database } from "../connection/open.ts";
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
  /** Yields one description per problem. */
  readonly find: (database: Database) => Iterable<unknown>;
}

/** Checks pages and indexes, and rows that refer to missing rows. */
export const integrityChecks: readonly Check[] = [
  { name: "integrity", find: integrity },
  { name: "references", find: orphans },
];

/** The checks that a copy must pass before it is used. */
const copyChecks: readonly Check[] = [
  { name: "schema", find: schemaDifferences },
  ...integrityChecks,
  ...totalChecks.map(storedCheck),
];

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

/** Every check. */
export const allChecks: readonly Check[] = [
  ...copyChecks,
  ...[...clockChecks, ...timeChecks].map(storedCheck),
];

/**
 * Finds the problems of a database, without changing it. Runs in one transaction, so that every
 * check sees the same snapshot.
 *
 * @returns their number, and the first of them
 */
export function findProblems(database: Database, checks: readonly Check[]) {
  let count = 0;
  const first: IntegrityProblem[] = [];
  const report = (check: string, detail: string): void => {
    count += 1;
    if (first.length < maxReported) first.push({ check, detail });
  };
  database
    .transaction(() => {
      for (const { name, find } of checks) {
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

/** Returns what is wrong with a copy, as the end of a sentence; undefined if it passes its checks. */
export function damageOf(copy: Database): string | undefined {
  const { count, first } = findProblems(copy, copyChecks);
  const more = count === 1 ? "" : ` (and ${count - 1} more)`;
  return first[0] && `${first[0].detail}${more}`;
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
    find: (database) => (hasTables(database) ? database.prepare<[]>(sql).pluck().iterate() : []),
  };
}
