import { existsSync, mkdirSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { SendctlError } from "../../../contract/error.ts";
import type {
  RecordCounts,
  PreparedRestore,
  ReportProgress,
} from "../../maintenance/maintenance.ts";
import { connect } from "../connection/connect.ts";
import { makeBeside, overwrite, removeWithLogs, type Copying } from "./copy-file.ts";
import { databaseError } from "../connection/database-error.ts";
import { faultsOf, soundnessChecks } from "./integrity.ts";
import { countRecords, informationOn } from "./record-counts.ts";
import {
  applicationId,
  migrate,
  openDatabase,
  stepsBehind,
  type Database,
} from "../connection/open.ts";
import { copySource, notOne, refuseSource, sourceError } from "./restore-source.ts";
import { replaceDamaged } from "./replace-damaged.ts";
import { countTurn } from "../connection/mark.ts";
import { refuseReplaced } from "../connection/open-file.ts";

/**
 * Checks a file, and copies it beside the database whose place it is to take; the file stays as it is.
 *
 * @param source absolute path
 * @param timeout how long to wait for others, in milliseconds
 * @throws SendctlError "usage" for a source that can't be one, "database", "cancelled", "terminated"
 */
export async function prepareRestore(
  file: string,
  source: string,
  timeout: number,
  copying: Copying,
): Promise<PreparedRestore> {
  refuseSource(file, source);
  const current = currentOf(file, timeout);
  const place = existsSync(file) ? realpathSync(file) : file;
  let copy: string | undefined;
  let database: Database | undefined;
  const discard = (): void => {
    database?.close();
    if (copy !== undefined) removeWithLogs(copy);
  };
  try {
    mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
    copy = makeBeside(place, "restore");
    await copySource(source, copy, timeout, copying);
    const opened = (database = connect(copy));
    const holding = readied(opened, source);
    const made = copy;
    return {
      counts: holding,
      current,
      discard,
      carryOut: async (report) => {
        const kept = await putInPlace(opened, made, place, timeout, { ...copying, report });
        return { database: file, file: source, ...holding, damaged_database: kept ?? null };
      },
    };
  } catch (error) {
    discard();
    throw error instanceof SendctlError ? error : databaseError(error, file);
  }
}

/** What is to go. @throws SendctlError "database" for a file that is not ours to replace */
function currentOf(file: string, timeout: number): RecordCounts | "damaged" | undefined {
  if (!existsSync(file) || statSync(file).size === 0) return undefined;
  try {
    return informationOn(file, timeout);
  } catch (error) {
    if (isDamage(error)) return "damaged";
    throw error;
  }
}

function isDamage(error: unknown): boolean {
  return error instanceof SendctlError && error.database === "damaged";
}

/** Makes a copy current. @throws SendctlError "database" where it is not a sound database of ours */
function readied(copy: Database, source: string): RecordCounts {
  const look = <Result>(body: () => Result): Result => {
    try {
      return body();
    } catch (error) {
      throw sourceError(error, source, copy);
    }
  };
  const { behind, owner } = look(() => {
    // It is made again where this does not end well.
    copy.pragma("synchronous = OFF");
    copy.pragma("journal_mode = DELETE");
    return {
      behind: copy.transaction(() => stepsBehind(copy, source)).deferred(),
      owner: copy.pragma("application_id", { simple: true }),
    };
  });
  if (owner !== applicationId) throw notOne(source, "not_a_database", "is empty");
  const { count, first } = look(() => faultsOf(copy, soundnessChecks));
  const [problem] = first;
  if (problem !== undefined) {
    const more = count === 1 ? "" : ` (and ${count - 1} more)`;
    throw notOne(source, "damaged", `is damaged: ${problem.detail}${more}`);
  }
  return look(() => {
    if (behind > 0) migrate(copy, source);
    return countRecords(copy);
  });
}

/** @returns where the old database is, if it was too damaged to be written */
async function putInPlace(
  copy: Database,
  copyFile: string,
  file: string,
  timeout: number,
  copying: Copying & { readonly report: ReportProgress },
): Promise<string | undefined> {
  let live: Database;
  try {
    live = openDatabase(file, timeout);
  } catch (error) {
    if (!isDamage(error)) throw error;
    copy.close();
    return replaceDamaged(file, copyFile);
  }
  try {
    matchPages(copy, live);
    await overwrite(copy, file, () => goOn(copy, live), timeout, copying);
    settle(live);
    refuseReplaced(live, file, true);
    return undefined;
  } catch (error) {
    throw databaseError(error, file, live);
  } finally {
    live.close();
  }
}

/** SQLite can't change the size of pages of a database that has a write-ahead log. */
function matchPages(copy: Database, live: Database): void {
  const size = live.pragma("page_size", { simple: true }) as number;
  if (copy.pragma("page_size", { simple: true }) === size) return;
  copy.pragma(`page_size = ${size}`);
  copy.exec("VACUUM");
}

/**
 * Ids are never used again, and times rise: rulings 21 and 22. What was made since the backup is gone, and
 * somebody may have noted its id.
 */
function goOn(copy: Database, live: Database): void {
  type Sequence = { readonly name: string; readonly seq: number };
  let sequences: Sequence[];
  let clock: { newest: number; id: Buffer; turn: number };
  try {
    sequences = live.prepare<[]>("SELECT name, seq FROM sqlite_sequence").all() as Sequence[];
    const sql = "SELECT newest, database_id AS id, turn FROM clock";
    clock = live.prepare<[]>(sql).get() as typeof clock;
  } catch {
    // Too damaged to report.
    return;
  }
  copy
    .transaction(() => {
      const raise = copy.prepare("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?");
      const add = copy.prepare("INSERT INTO sqlite_sequence (seq, name) VALUES (?, ?)");
      for (const { name, seq } of sequences) {
        if (raise.run(seq, name).changes === 0) add.run(seq, name);
      }
      // It stays the same database, and a restore is its next transaction: see mark.ts.
      const { newest, id, turn } = clock;
      copy
        .prepare("UPDATE clock SET newest = max(newest, ?), database_id = ?, turn = ?")
        .run(newest, id, turn + 1);
    })
    .immediate();
}

/** Milliseconds to wait for readers who are in the way of a smaller log. */
const settlingTimeout = 500;

/**
 * The copy was written without waiting for the disk; the next write waits for it, and for all before it.
 * What is in the log goes into the file where nobody is in the way.
 */
function settle(live: Database): void {
  try {
    live.prepare(`UPDATE clock SET newest = newest + 1, ${countTurn}`).run();
    live.pragma(`busy_timeout = ${settlingTimeout}`);
    live.pragma("wal_checkpoint(TRUNCATE)");
  } catch {
    // It is restored all the same.
  }
}
