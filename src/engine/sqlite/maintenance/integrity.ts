import type { IntegrityProblem } from "../../maintenance/maintenance.ts";
import { codeOf, isAltered } from "../connection/database-error.ts";
import { schemaDifferences } from "../connection/schema.ts";
import { type Database } from "../connection/open.ts";

/** Faults, as many of them as somebody reads, and how many there are. */
export interface Faults {
  readonly count: number;
  readonly first: readonly IntegrityProblem[];
}

/** As many as are kept. */
const mostKept = 100;

/** As many as SQLite looks for: it goes on in a damaged file for as long as one lets it. */
const mostLookedFor = 10_000;

interface Check {
  readonly name: string;
  /** What is wrong, one by one. */
  readonly look: (database: Database) => Iterable<string>;
}

/** Pages and indexes; a row that refers to one that is gone. */
export const integrityChecks: readonly Check[] = [
  { name: "integrity", look: (database) => integrity(database, "integrity_check") },
  { name: "references", look: orphans },
];

/** The same, of a database that is too large to look through: indexes are not compared with tables. */
export const quickChecks: readonly Check[] = [
  { name: "integrity", look: (database) => integrity(database, "quick_check") },
  { name: "references", look: orphans },
];

/** What a copy has to have to be used. */
export const soundnessChecks: readonly Check[] = [
  { name: "schema", look: schemaDifferences },
  ...integrityChecks,
  { name: "totals", look: wrongTotals },
];

/** All that can be told. */
export const allChecks: readonly Check[] = [
  ...soundnessChecks,
  { name: "clock", look: wrongTimes },
];

/** What is wrong with a database, which is not changed. In a transaction, so that it is of one state. */
export function faultsOf(database: Database, checks: readonly Check[]): Faults {
  let count = 0;
  const first: IntegrityProblem[] = [];
  const take = (check: string, detail: string): void => {
    count += 1;
    if (first.length < mostKept) first.push({ check, detail });
  };
  database
    .transaction(() => {
      for (const { name, look } of checks) {
        try {
          for (const detail of look(database)) take(name, detail);
        } catch (error) {
          if (!isOfContent(error, database)) throw error;
          take(name, `cannot be checked: ${(error as Error).message}`);
        }
      }
    })
    .deferred();
  return { count, first };
}

/** Whether the content of the file causes an error, not the disk, another process or our SQL. */
function isOfContent(error: unknown, database: Database): boolean {
  const code = codeOf(error) ?? "";
  return /^SQLITE_(CORRUPT|NOTADB)/.test(code) || (code === "SQLITE_ERROR" && isAltered(database));
}

function* integrity(database: Database, check: string): Iterable<string> {
  const rows = database.prepare<[]>(`PRAGMA ${check}(${mostLookedFor})`).pluck().all();
  for (const row of rows) {
    if (row !== "ok") yield String(row).replace(/\s*\n\s*/g, ", ");
  }
}

function* orphans(database: Database): Iterable<string> {
  type Orphan = { readonly table: string; readonly rowid: number; readonly parent: string };
  for (const row of database.prepare<[]>("PRAGMA foreign_key_check").iterate()) {
    const { table, rowid, parent } = row as Orphan;
    yield `row ${rowid} of ${table} refers to a row of ${parent} that is gone`;
  }
}

interface Kept {
  readonly id: number;
  readonly kept: number;
  readonly counted: number;
}

/** Every total that a trigger keeps, and what it counts. */
const totals: readonly (readonly [owner: string, total: string, of: string, by: string])[] = [
  ["integration", "sender_id_total", "sender_id", "integration_id"],
  ["integration", "contact_group_total", "contact_group", "integration_id"],
  ["contact_group", "contacts_count", "contact", "group_id"],
];

function* wrongTotals(database: Database): Iterable<string> {
  if (isNew(database)) return;
  for (const [owner, total, of, by] of totals) {
    const sql = `SELECT id, kept, counted FROM (
        SELECT owner.id, owner.${total} AS kept, coalesce(found.counted, 0) AS counted
        FROM ${owner} AS owner
        LEFT JOIN (SELECT ${by} AS id, count(*) AS counted FROM ${of} GROUP BY ${by}) AS found
          ON found.id = owner.id
      ) WHERE kept <> counted`;
    for (const row of database.prepare<[]>(sql).iterate()) {
      const { id, kept, counted } = row as Kept;
      yield `${owner} ${id} has ${total} ${kept}, and ${counted} in ${of}`;
    }
  }
}

/** Ruling 22: times rise with the ids, and the clock is never behind them. */
function* wrongTimes(database: Database): Iterable<string> {
  if (isNew(database)) return;
  const clocks = database.prepare<[]>("SELECT newest FROM clock").pluck().all();
  const [newest] = clocks;
  if (clocks.length !== 1 || typeof newest !== "number") {
    yield `the clock has ${clocks.length} rows, and not 1`;
    return;
  }
  for (const table of ["integration", "secret_key", "sender_id", "contact_group"]) {
    let before: { readonly id: number; readonly time: number } | undefined;
    const sql = `SELECT id, created_at AS time FROM ${table} ORDER BY id`;
    for (const row of database.prepare<[]>(sql).iterate()) {
      const { id, time } = row as { readonly id: number; readonly time: number };
      if (time > newest) yield `${table} ${id} was made after the newest time of the clock`;
      if (before !== undefined && time <= before.time) {
        yield `${table} ${id} was made no later than ${table} ${before.id}`;
      }
      before = { id, time };
    }
  }
}

/** Before its first step a database has no tables. */
function isNew(database: Database): boolean {
  return database.pragma("user_version", { simple: true }) === 0;
}
