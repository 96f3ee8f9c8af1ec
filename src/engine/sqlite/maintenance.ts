import { existsSync, linkSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { platform } from "node:process";
import { SendctlError } from "../../core/error.ts";
import { makeFolder } from "../../core/files.ts";
import {
  createBeside,
  fileBeside,
  flushFile,
  isLeftover,
  removeLeftovers,
} from "../../core/own-file.ts";
import type {
  ConfirmRestore,
  KeptDatabase,
  Maintenance,
  RecordCounts,
  RestoreReport,
} from "../maintenance/maintenance.ts";
import { defaultIntegration } from "../store/stored.ts";
import { backUp, logEndings, openCopy, realPath } from "./backup.ts";
import { raiseClock, readClock } from "./bulk.ts";
import { databaseError, identify, isSame, refuseReplaced, unusable } from "./database-error.ts";
import {
  checkName,
  isEmptyFile,
  openDatabase,
  withDatabase,
  type Database,
} from "./database-file.ts";
import {
  checkDatabase,
  countRecords,
  databaseInfo,
  knowsKey,
  throwIfStopped,
} from "./integrity.ts";

/**
 * Returns the maintenance operations for the database at `file`, an absolute path. Each opens the
 * database when called, and closes it again.
 *
 * @param folder the folder that relative paths of other files start from
 * @param signal returns the signal for checks and copies; its reason is "SIGINT" or "SIGTERM"
 */
export function createMaintenance(
  file: string,
  folder: string,
  signal: () => AbortSignal,
): Maintenance {
  const pathOf = (given: string): string => {
    if (given === "") throw new SendctlError("usage", "FILE is empty", { hint: "name a file" });
    return resolve(folder, given);
  };
  return {
    info: async () => databaseInfo(file),
    check: async () => checkDatabase(file, signal()),
    knowsKey: async (hash) => knowsKey(file, hash),
    reset: async (keepKeys) => resetDatabase(file, keepKeys),
    backup: async (target, replaces) => backUp(file, pathOf(target), replaces, signal()),
    restore: async (source, confirm) => restoreDatabase(file, pathOf(source), signal(), confirm),
    kept: () => keptDatabase(file),
  };
}

/** Triggers set the totals to 0, unless they were wrong. */
const deleteRecords = `
  DELETE FROM contact;
  DELETE FROM contact_group;
  DELETE FROM sender_id;
  DELETE FROM sqlite_sequence WHERE name IN ('contact_group', 'sender_id');
  UPDATE integration SET sender_id_total = 0, contact_group_total = 0;`;

const deleteKeys = `
  DELETE FROM secret_key;
  DELETE FROM sqlite_sequence WHERE name = 'secret_key';
  UPDATE sqlite_sequence SET seq = ${defaultIntegration} WHERE name = 'integration';`;

const deleteIntegrations = `
  DELETE FROM integration
  WHERE id <> ${defaultIntegration} AND id NOT IN (SELECT integration_id FROM secret_key)`;

/** Empties a database in one transaction (`reset`), and removes the one that a restore has kept. */
async function resetDatabase(file: string, keepKeys: boolean): Promise<RecordCounts | undefined> {
  // They have records, too.
  removeLeftovers(dirname(realPath(file)), (name) => isLeftover(name, "restore"));
  const kept = keptDatabase(file)?.file;
  if (kept !== undefined) removeAll(kept, ["", ...logEndings]);
  if (!existsSync(file)) return undefined;
  return withDatabase(file, (database) => {
    database.exec("BEGIN IMMEDIATE");
    const countsBefore = countRecords(database);
    database.exec(`${deleteRecords}${keepKeys ? "" : deleteKeys}${deleteIntegrations}; COMMIT`);
    refuseReplaced(database, file, true);
    shrink(database);
    return countsBefore;
  });
}

/** Frees the space of deleted records if no other process prevents that: they are gone anyway. */
function shrink(database: Database): void {
  try {
    database.pragma("busy_timeout = 500");
    database.exec("VACUUM");
    database.pragma("wal_checkpoint(TRUNCATE)");
  } catch {
    // Later records reuse the space.
  }
}

/**
 * Replaces a database with a backup, which is copied beside it and checked first. The old database
 * stays beside it, as `FILE.before-restore`. At any moment, even if the process is killed, the path
 * leads to the old content or to the new, complete.
 *
 * @throws as `restore`, or the error of `confirm`
 */
async function restoreDatabase(
  file: string,
  source: string,
  signal: AbortSignal,
  confirm: ConfirmRestore,
): Promise<RestoreReport> {
  checkName(file);
  const path = realPath(file);
  let old: Database | undefined;
  const fill = async (fresh: string): Promise<RestoreReport> => {
    const copy = await openCopy(file, source, fresh, signal);
    try {
      const counts = countRecords(copy);
      await confirm(counts, await currentCounts(file), keptDatabase(file));
      old = takeAlone(path);
      // Ids are not reused and times rise (rulings 21, 22), though newer records are lost.
      const clock = old && readClock(old);
      if (clock !== undefined) copy.transaction(() => raiseClock(copy, clock)).immediate();
      copy.close();
      // Before anything changes: a disk may only now report that it is full.
      flushFile(fresh);
      await throwIfStopped(signal);
      const kept_database = keepOld(path);
      // Windows replaces no open file. Elsewhere, the lock keeps others out until the end.
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
 * @throws SendctlError "database" for one that must not be replaced, such as another program's
 */
async function currentCounts(file: string): Promise<RecordCounts | "damaged" | undefined> {
  try {
    return isEmptyFile(file) ? undefined : await databaseInfo(file);
  } catch (error) {
    if (error instanceof SendctlError && error.details.database === "damaged")
      return error.details.database;
    throw error;
  }
}

/**
 * Opens the database that a restore replaces, moves its log into it, and locks it. Only the last
 * connection can leave write-ahead mode, so that no log of the old database can be left for the new
 * one. Waits a second for other processes, such as a command that is about to end.
 *
 * @returns undefined for a database that is missing or damaged
 * @throws SendctlError "database" while another process has it open
 */
function takeAlone(file: string): Database | undefined {
  if (isEmptyFile(file)) return undefined;
  const found = identify(file);
  let database: Database | undefined;
  try {
    database = openDatabase(file, 1000);
    database.pragma("journal_mode = DELETE");
    database.exec("BEGIN EXCLUSIVE");
    // Meanwhile another process may have opened it, which sets the mode again, or replaced it.
    const isAlone = database.pragma("journal_mode", { simple: true }) === "delete";
    if (isAlone && isSame(found, identify(file))) return database;
    database.close();
  } catch (error) {
    // Without its log, a locked database would be taken for a replaced one, so it is not passed.
    const failure = databaseError(error, file);
    database?.close();
    const problem = failure instanceof SendctlError ? failure.details.database : undefined;
    if (problem === "damaged") return undefined;
    if (problem !== "locked") throw failure;
  }
  const hint = "stop `sendctl serve` and other commands that use it, then try again";
  throw unusable(file, ["locked", "is in use, so nothing was restored", hint]);
}

/** Returns the database that the last restore has kept; undefined if there is none. */
function keptDatabase(file: string): KeptDatabase | undefined {
  const kept = `${realPath(file)}.before-restore`;
  const found = statSync(kept, { throwIfNoEntry: false });
  return found && { file: kept, changed: found.mtimeMs };
}

function removeAll(file: string, endings: readonly string[]): void {
  for (const ending of endings) rmSync(`${file}${ending}`, { force: true });
}

/**
 * Keeps the old database under another name, in place of an earlier one: by a link, because opening
 * and closing the file would release the lock on it. The log of a damaged or missing database is
 * moved along with it: SQLite would apply it to the new file.
 *
 * @returns its path; null if there was no database
 */
function keepOld(file: string): string | null {
  const kept = `${file}.before-restore`;
  const isThere = !isEmptyFile(file);
  removeAll(kept, logEndings);
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
