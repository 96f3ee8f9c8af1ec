import { joinLines } from "../../../contract/text/join-lines.ts";
import type { IntegrityProblem } from "../../maintenance/maintenance.ts";
import { codeOf, isAltered } from "../connection/database-error.ts";
import { schemaDifferences } from "../connection/schema.ts";
import { type Database } from "../connection/open.ts";

/** The problems of a database: their number, and the first of them. */
export interface FoundProblems {
  readonly count: number;
  readonly first: readonly IntegrityProblem[];
}

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
  readonly find: (database: Database) => Iterable<string>;
}

/** Checks pages and indexes, and rows that refer to missing rows. */
export const integrityChecks: readonly Check[] = [
  { name: "integrity", find: (database) => integrity(database, "integrity_check") },
  { name: "references", find: orphans },
];

/** The same checks for a database too large to check completely: indexes are not compared with tables. */
export const quickChecks: readonly Check[] = [
  { name: "integrity", find: (database) => integrity(database, "quick_check") },
  { name: "references", find: orphans },
];

/** The checks that a copy must pass before it is used. */
export const copyChecks: readonly Check[] = [
  { name: "schema", find: schemaDifferences },
  ...integrityChecks,
  { name: "totals", find: wrongTotals },
];

/** Every check. */
export const allChecks: readonly Check[] = [...copyChecks, { name: "clock", find: wrongTimes }];

/**
 * Finds the problems of a database, without changing it. Runs in one transaction, so that every
 * check sees the same snapshot.
 */
export function findProblems(database: Database, checks: readonly Check[]): FoundProblems {
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
          for (const detail of find(database)) report(name, detail);
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
 * Returns whether an error is due to the content of the file, not to the disk, another process or
 * our SQL.
 */
function isContentError(error: unknown, database: Database): boolean {
  const code = codeOf(error) ?? "";
  return /^SQLITE_(CORRUPT|NOTADB)/.test(code) || (code === "SQLITE_ERROR" && isAltered(database));
}

function* integrity(database: Database, check: string): Iterable<string> {
  const rows = database.prepare<[]>(`PRAGMA ${check}(${maxSearched})`).pluck().all();
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

interface WrongTotal {
  readonly id: number;
  readonly stored: number;
  readonly counted: number;
}

/** Every total that a trigger maintains, and the rows it counts. */
const totals: readonly (readonly [owner: string, total: string, of: string, by: string])[] = [
  ["integration", "sender_id_total", "sender_id", "integration_id"],
  ["integration", "contact_group_total", "contact_group", "integration_id"],
  ["contact_group", "contacts_count", "contact", "group_id"],
];

function* wrongTotals(database: Database): Iterable<string> {
  if (isNew(database)) return;
  for (const [owner, total, of, by] of totals) {
    const sql = `SELECT id, stored, counted FROM (
        SELECT owner.id, owner.${total} AS stored, coalesce(found.counted, 0) AS counted
        FROM ${owner} AS owner
        LEFT JOIN (SELECT ${by} AS id, count(*) AS counted FROM ${of} GROUP BY ${by}) AS found
          ON found.id = owner.id
      ) WHERE stored <> counted`;
    for (const row of database.prepare<[]>(sql).iterate()) {
      const { id, stored, counted } = row as WrongTotal;
      yield `${owner} ${id} has ${total} ${stored} but ${counted} rows in ${of}`;
    }
  }
}

/** Ruling 22: times increase with the ids, and the clock is never behind them. */
function* wrongTimes(database: Database): Iterable<string> {
  if (isNew(database)) return;
  const clocks = database.prepare<[]>("SELECT newest FROM clock").pluck().all();
  const [newest] = clocks;
  if (clocks.length !== 1 || typeof newest !== "number") {
    yield `the clock has ${clocks.length} rows instead of 1`;
    return;
  }
  for (const table of ["integration", "secret_key", "sender_id", "contact_group"]) {
    let before: { readonly id: number; readonly time: number } | undefined;
    const sql = `SELECT id, created_at AS time FROM ${table} ORDER BY id`;
    for (const row of database.prepare<[]>(sql).iterate()) {
      const { id, time } = row as { readonly id: number; readonly time: number };
      if (time > newest) yield `${table} ${id} was created after the newest time of the clock`;
      if (before !== undefined && time <= before.time) {
        yield `${table} ${id} was created no later than ${table} ${before.id}`;
      }
      before = { id, time };
    }
  }
}

/** Returns whether no migration has run, so that there are no tables. */
function isNew(database: Database): boolean {
  return database.pragma("user_version", { simple: true }) === 0;
}
