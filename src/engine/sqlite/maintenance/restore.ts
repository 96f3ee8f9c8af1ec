import { existsSync, linkSync, realpathSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { platform } from "node:process";
import { SendctlError } from "../../../core/error.ts";
import { makeFolder } from "../../../core/files.ts";
import { fileBeside } from "../../../core/own-file.ts";
import type { CopiedClock } from "../../maintenance/copy.ts";
import type {
  ConfirmRestore,
  KeptDatabase,
  RecordCounts,
  RestoreReport,
} from "../../maintenance/maintenance.ts";
import { codeOf, databaseError, unusable, type Meaning } from "../connection/database-error.ts";
import { checkName, openDatabase, type Database } from "../connection/open.ts";
import { openCopy, refuseSource } from "./backup-source.ts";
import { createBeside, flush, throwIfStopped } from "./copy-file.ts";
import { countRecords, databaseInfo } from "./integrity.ts";

/**
 * Replaces a database with a backup, which is copied beside it and checked first. The old database stays beside it, as
 * `FILE.before-restore`. At any moment, even if the process is killed, the path leads to the old content or to the new,
 * complete.
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
  checkName(file);
  refuseSource(file, source);
  const current = await currentCounts(file);
  const path = existsSync(file) ? realpathSync(file) : file;
  let old: Database | undefined;
  const fill = async (copyFile: string): Promise<RestoreReport> => {
    const copy = await openCopy(source, copyFile, signal);
    try {
      const counts = countRecords(copy);
      await confirm(counts, current, keptDatabase(file));
      old = takeAlone(path);
      // Ids are not reused and times increase (rulings 21 and 22), even though newer records are lost.
      const clock = old && readClock(old);
      if (clock !== undefined) copy.transaction(() => raiseClock(copy, clock)).immediate();
      copy.close();
      // Before anything changes: a disk may only now report that it is full.
      flush(copyFile);
      await throwIfStopped(signal);
      const kept_database = keepOld(path);
      // Windows replaces no open file. Elsewhere, the lock keeps others out until the new file is there.
      if (platform === "win32") old?.close();
      return { database: file, file: source, ...counts, kept_database };
    } finally {
      copy.close();
    }
  };
  try {
    makeFolder(dirname(path));
    return await createBeside(path, "restore", true, fill);
  } catch (error) {
    throw databaseError(error, file);
  } finally {
    old?.close();
  }
}

/**
 * Returns the record counts of the database to be replaced.
 *
 * @returns undefined if there is none
 * @throws SendctlError "database" for a database that must not be replaced, such as another program's
 */
async function currentCounts(file: string): Promise<RecordCounts | "damaged" | undefined> {
  try {
    return isMissing(file) ? undefined : await databaseInfo(file);
  } catch (error) {
    const failure = databaseError(error, file);
    if (failure instanceof SendctlError && failure.details.database === "damaged")
      return failure.details.database;
    throw failure;
  }
}

/**
 * Returns whether there is nothing to replace. Something else than a file, such as a device, is there: to open it fails, and a
 * rename would replace it.
 *
 * @throws the error of the file system
 */
function isMissing(file: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined || (found.isFile() && found.size === 0);
}

/** Milliseconds to wait for other processes, such as a command that is about to end. */
const aloneTimeout = 1000;

const inUse: Meaning = [
  "locked",
  "is in use, so nothing was restored",
  "stop `sendctl serve` and other commands that use it, then try again",
];

/**
 * Opens the database that a restore replaces, moves its log into it, and locks it. Only the last connection can leave
 * write-ahead mode, so that no log of the old database can be left for the new one.
 *
 * @returns undefined for a database that is missing or damaged
 * @throws SendctlError "database" while another process has it open
 */
function takeAlone(file: string): Database | undefined {
  if (isMissing(file)) return undefined;
  let database: Database | undefined;
  try {
    database = openDatabase(file, aloneTimeout);
    database.pragma("journal_mode = DELETE");
    database.exec("BEGIN EXCLUSIVE");
    // Another process may have opened it between the two, which sets the mode again.
    if (database.pragma("journal_mode", { simple: true }) === "delete") return database;
    throw unusable(file, inUse);
  } catch (error) {
    // Without its log, a locked database would be taken for a replaced one.
    const isBusy = /^SQLITE_(?:BUSY|LOCKED)/.test(codeOf(error) ?? "");
    const failure = isBusy ? unusable(file, inUse, error) : databaseError(error, file, database);
    database?.close();
    const problem = failure instanceof SendctlError ? failure.details.database : undefined;
    if (problem === "damaged") return undefined;
    throw problem === "locked" ? unusable(file, inUse, error) : failure;
  }
}

/** What SQLite adds to the name of a database for the files beside it. */
const logEndings = ["-wal", "-journal", "-shm"];

/** Returns the database that the last restore has kept; undefined if there is none. */
export function keptDatabase(file: string): KeptDatabase | undefined {
  const kept = `${existsSync(file) ? realpathSync(file) : file}.before-restore`;
  const found = statSync(kept, { throwIfNoEntry: false });
  return found && { file: kept, changed: found.mtimeMs };
}

/** Removes it. */
export function removeKept(file: string): void {
  const kept = keptDatabase(file)?.file;
  if (kept === undefined) return;
  for (const ending of ["", ...logEndings]) rmSync(`${kept}${ending}`, { force: true });
}

/**
 * Keeps the old database under another name, in place of an earlier one: by a link, because opening and closing the file would
 * release the lock on it. The log of a damaged or missing database is moved along with it: SQLite would apply it to the new
 * file.
 *
 * @returns its path; null if there was no database
 */
function keepOld(file: string): string | null {
  const kept = `${file}.before-restore`;
  const isThere = (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;
  for (const ending of logEndings) rmSync(`${kept}${ending}`, { force: true });
  if (isThere) {
    const link = fileBeside(file, "restore");
    linkSync(file, link);
    renameSync(link, kept);
    // A rename to another name of the same file does nothing.
    rmSync(link, { force: true });
  }
  for (const ending of logEndings) {
    if (existsSync(`${file}${ending}`)) renameSync(`${file}${ending}`, `${kept}${ending}`);
  }
  return isThere ? kept : null;
}

/** Returns after what the next records of a database continue. */
export function readClock(database: Database): CopiedClock {
  const ids = database.prepare<[]>("SELECT name, seq FROM sqlite_sequence").raw().all();
  const newest = database.prepare<[]>("SELECT newest FROM clock").pluck().get() as number;
  return { lastIds: Object.fromEntries(ids as [string, number][]), newest };
}

/** Makes the next records of a database continue after those of another one, too. */
export function raiseClock(database: Database, { lastIds, newest }: CopiedClock): void {
  const raise = database.prepare("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?");
  const add = database.prepare("INSERT INTO sqlite_sequence (seq, name) VALUES (?, ?)");
  for (const [table, last] of Object.entries(lastIds)) {
    if (raise.run(last, table).changes === 0) add.run(last, table);
  }
  database.prepare("UPDATE clock SET newest = max(newest, ?)").run(newest);
}
