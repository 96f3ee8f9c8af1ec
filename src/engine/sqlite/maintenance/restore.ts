import { copyFileSync, existsSync, realpathSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { platform } from "node:process";
import { SendctlError } from "../../../core/error.ts";
import { makeFolder } from "../../../core/files.ts";
import type { CopiedClock } from "../../maintenance/copy.ts";
import type { ConfirmRestore, RecordCounts, RestoreReport } from "../../maintenance/maintenance.ts";
import { databaseError, unusable, type Meaning } from "../connection/database-error.ts";
import { assignNewIdentity, raiseClock, readClock } from "../connection/mark.ts";
import { openDatabase, type Database } from "../connection/open.ts";
import { createBeside, flush, throwIfStopped } from "./copy-file.ts";
import { countRecords, databaseInfo } from "./record-counts.ts";
import { openCopy, refuseSource } from "./restore-source.ts";

/**
 * Replaces a database with a backup, which is copied beside it and checked first. At any moment, even if the process is
 * killed, the path leads to the old content or to the new, complete.
 *
 * @param source absolute path of the backup, which is not changed
 * @throws SendctlError "usage" for an unsuitable source, "database", also while another process has the database open,
 *   "cancelled", "terminated", or the error of `confirm`
 */
export async function restoreDatabase(
  file: string,
  source: string,
  signal: AbortSignal,
  confirm: ConfirmRestore,
): Promise<RestoreReport> {
  refuseSource(file, source);
  const current = await currentCounts(file);
  const path = existsSync(file) ? realpathSync(file) : file;
  let old: Old | "damaged" | "missing" | undefined;
  const unlock = (): void => {
    if (typeof old === "object") old.database.close();
  };
  const fill = async (copyFile: string): Promise<RestoreReport> => {
    const copy = await openCopy(source, copyFile, signal);
    try {
      const counts = countRecords(copy);
      await confirm(counts, current);
      old = takeAlone(path);
      if (typeof old === "object") {
        // Ids are not reused and times increase (rulings 21 and 22), even though newer records are lost.
        const { clock } = old;
        copy.transaction(() => raiseClock(copy, clock)).immediate();
      }
      assignNewIdentity(copy);
      copy.close();
      // Before anything changes: a disk may only now report that it is full.
      flush(copyFile);
      await throwIfStopped(signal);
      const kept = typeof old === "object" ? null : keepDamaged(path);
      const damaged_database = old === "damaged" ? kept : null;
      return { database: file, file: source, ...counts, damaged_database };
    } finally {
      copy.close();
      // Windows replaces no open file. Elsewhere, the lock keeps others out until the new file is there.
      if (platform === "win32") unlock();
    }
  };
  try {
    makeFolder(dirname(path));
    return await createBeside(path, "restore", true, fill);
  } catch (error) {
    throw databaseError(error, file);
  } finally {
    unlock();
  }
}

/**
 * Returns the record counts of the database to be replaced.
 *
 * @returns undefined if there is none
 * @throws SendctlError "database" for a database that must not be replaced, such as another
 *   program's
 */
async function currentCounts(file: string): Promise<RecordCounts | "damaged" | undefined> {
  if (!existsSync(file) || statSync(file).size === 0) return undefined;
  try {
    return await databaseInfo(file);
  } catch (error) {
    if (error instanceof SendctlError && error.database === "damaged") return error.database;
    throw error;
  }
}

/** The database that a restore replaces, locked. */
interface Old {
  readonly database: Database;
  readonly clock: CopiedClock;
}

/** Milliseconds to wait for other processes, such as a command that is about to end. */
const aloneTimeout = 1000;

/**
 * Opens the database that a restore replaces, moves its log into it, and locks it. Creates one that is missing.
 *
 * @returns "missing" if only its log is there
 * @throws SendctlError "database" while another process has it open
 */
function takeAlone(file: string): Old | "damaged" | "missing" {
  let database: Database | undefined;
  try {
    database = openDatabase(file, aloneTimeout);
    // Only the last connection can leave write-ahead mode: every other one holds a lock, even while it does nothing.
    database.pragma("journal_mode = MEMORY");
    database.exec("BEGIN EXCLUSIVE");
    return { database, clock: readClock(database) };
  } catch (error) {
    const failure = databaseError(error, file, database);
    database?.close();
    const problem = failure instanceof SendctlError ? failure.database : undefined;
    const hasLog = existsSync(`${file}-wal`);
    if (problem === "damaged" || (problem === "missing" && hasLog)) return problem;
    throw problem === "locked" ? unusable(file, inUse, error) : failure;
  }
}

const inUse: Meaning = [
  "locked",
  "is in use, so nothing was restored",
  "stop `sendctl serve` and other commands that use it, then try again",
];

/**
 * Keeps a copy of a damaged database beside it, so that its records can still be recovered. Its log is moved along with
 * it, because SQLite would apply it to the new file.
 *
 * @returns the path of the copy
 */
function keepDamaged(file: string): string {
  const kept = freeName(`${file}.before-restore`);
  try {
    if (existsSync(file)) copyFileSync(file, kept);
  } catch (error) {
    rmSync(kept, { force: true });
    throw error;
  }
  for (const ending of ["-wal", "-journal"]) {
    if (existsSync(`${file}${ending}`)) renameSync(`${file}${ending}`, `${kept}${ending}`);
  }
  rmSync(`${file}-shm`, { force: true });
  return kept;
}

function freeName(name: string): string {
  for (let number = 1; ; number += 1) {
    const free = number === 1 ? name : `${name}.${number}`;
    if (["", "-wal"].every((ending) => !existsSync(`${free}${ending}`))) return free;
  }
}
