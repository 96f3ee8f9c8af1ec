import { chmodSync, existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { dirname } from "node:path";
import { SendctlError } from "../../core/error.ts";
import { fileHint, unreadableFile } from "../../core/files.ts";
import { createBeside, isTaken } from "../../core/own-file.ts";
import type { BackupReport } from "../maintenance/maintenance.ts";
import {
  codeOf,
  databaseError,
  identify,
  isSame,
  nameAnother,
  unusable,
} from "./database-error.ts";
import { connect, isEmptyFile, type Database } from "./database-file.ts";
import { countRecords, damageOf, reading } from "./integrity.ts";
import type { Store } from "../store/store.ts";
import type { Microseconds } from "../store/stored.ts";
import { storeOn } from "./store.ts";
import { hasTables, logSize, migrate, stepsBehind } from "./schema.ts";

/** What SQLite adds to the name of a database for the files beside it. */
export const logEndings = ["-wal", "-shm", "-journal"];

/**
 * Backs up a database (`backup`), as it is when the copy begins; others may keep writing. The copy
 * is made beside the file, checked, and then renamed, so that a partial backup never appears.
 */
export async function backUp(
  file: string,
  target: string,
  replaces: boolean,
  signal: AbortSignal,
): Promise<BackupReport> {
  const fill = async (path: string) => {
    await reading(file, (database) => database.prepare("VACUUM INTO ?").run(path));
    const copy = connect(path);
    try {
      const damage = await damageOf(copy, signal);
      if (damage === undefined) return countRecords(copy);
      const message = `is damaged, so nothing was backed up: ${damage}`;
      throw unusable(file, ["damaged", message, "sendctl local check"]);
    } finally {
      copy.close();
    }
  };
  try {
    refuseTarget(file, target, replaces);
    if (isEmptyFile(file)) {
      const message = "does not exist or is empty, so there is nothing to back up";
      throw unusable(file, ["missing", message, "name the database to back up with --database"]);
    }
    const counts = await createBeside(target, "backup", replaces, fill);
    return { file: target, bytes: statSync(target).size, ...counts };
  } catch (error) {
    throw targetError(error, target);
  }
}

/** Rejects a target that may not be written. @throws SendctlError "usage", or a system error */
function refuseTarget(file: string, target: string, replaces: boolean): void {
  refuseKind(file, target);
  if (!existsSync(dirname(target))) {
    const hint = "create the folder, or use another file";
    throw unsuitable(target, "is in a folder that does not exist", hint);
  }
  if (isTaken(target) && !replaces) {
    throw unsuitable(target, "already exists", `${nameAnother}, or pass --force to replace it`);
  }
  // SQLite would treat the log as part of the copy.
  if (hasLog(target)) throw unsuitable(target, "is in use, or a program that used it was killed");
}

/** Rejects a path of a folder, a device, the database or a file that SQLite creates beside it. */
function refuseKind(file: string, path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) throw unsuitable(path, "is a folder", "name a file in it");
  if (found?.isFile() === false) throw unsuitable(path, "is not a file");
  const identity = identify(path);
  for (const ending of ["", ...logEndings]) {
    const own = `${realPath(file)}${ending}`;
    const isOwn = identity === undefined ? own === path : isSame(identity, identify(own));
    if (isOwn) throw unsuitable(path, "is the database itself");
  }
}

/** Returns the path of a file to which a link may lead. */
export function realPath(file: string): string {
  return existsSync(file) ? realpathSync(file) : file;
}

/** Returns whether a database has a log, which is part of it. */
function hasLog(file: string): boolean {
  return logSize(file) > 0 || existsSync(`${file}-journal`);
}

function unsuitable(path: string, message: string, hint = nameAnother, cause?: unknown) {
  return new SendctlError("usage", `${path} ${message}`, { hint, file: path, cause });
}

/** Returns whether a file could not be written for lack of space. */
function isOfSpace(error: unknown): boolean {
  return /^(ENOSPC|EDQUOT|EFBIG|SQLITE_FULL|SQLITE_IOERR)/.test(codeOf(error) ?? "");
}

/** Converts an error of the target: a usage error if unusable, a database error if it is full. */
function targetError(error: unknown, target: string): unknown {
  const code = codeOf(error);
  // Without space, it is the copy of the database that cannot be written.
  if (!isOfSpace(error) && !isOfSpace((error as Error).cause)) {
    if (code === undefined) return error;
    return unsuitable(target, `cannot be written (${code})`, fileHint(error), error);
  }
  const hint = "free disk space, or name a file on another disk";
  const details = { hint, file: target, database: "full", cause: error } as const;
  return new SendctlError("database", `${target} cannot be written`, details);
}

/**
 * Copies a backup to a file, checks the copy and migrates it. The backup is not changed.
 *
 * @param file the database for which it is read
 * @param source absolute path of the backup
 * @param path a file that nothing else has open; only its owner can read it
 * @throws SendctlError "usage" for a file that cannot be read, "database" if it is not a valid
 *   database of sendctl or is in use, "cancelled", "terminated"
 */
export async function openCopy(
  file: string,
  source: string,
  path: string,
  signal: AbortSignal,
): Promise<Database> {
  try {
    refuseSource(file, source);
    await copyFile(source, path);
    chmodSync(path, 0o600);
  } catch (error) {
    throw isOfSpace(error) ? databaseError(error, path) : unreadableFile(source, error);
  }
  return validated(connect(path), source, signal);
}

/** Checks and migrates a copy. @throws SendctlError after it has closed the copy */
async function validated(copy: Database, source: string, signal: AbortSignal): Promise<Database> {
  try {
    // The copy is simply created again after a crash.
    copy.pragma("synchronous = OFF");
    copy.pragma("journal_mode = DELETE");
    // Another process may have begun to use it meanwhile.
    refuseLog(source);
    stepsBehind(copy, source);
    const damage = await damageOf(copy, signal);
    if (damage !== undefined) {
      throw unusable(source, ["damaged", `is damaged: ${damage}`, nameAnother]);
    }
    if (!hasTables(copy)) throw unusable(source, ["not_a_database", "is empty", nameAnother]);
    migrate(copy, source);
    return copy;
  } catch (error) {
    const failure = sourceError(databaseError(error, source, copy));
    copy.close();
    throw failure;
  }
}

/** Rejects a file that cannot be a backup of this database. @throws SendctlError or system error */
function refuseSource(file: string, source: string): void {
  statSync(source);
  refuseKind(file, source);
  refuseLog(source);
}

/** A log beside a backup has records that the backup lacks. @throws SendctlError "database" */
function refuseLog(source: string): void {
  if (!hasLog(source)) return;
  const hint = "back it up with `sendctl local backup`, and use the backup";
  const message = "is in use, or was not closed, so nothing was restored";
  throw unusable(source, ["locked", message, hint]);
}

/** Adds to the error of a backup that nothing was restored, with a hint other than restoring. */
function sourceError(error: unknown): unknown {
  if (!(error instanceof SendctlError)) return error;
  const { message, details: known } = error;
  const { file, database } = known;
  if (database !== "damaged" && database !== "not_a_database") return error;
  const details = { hint: nameAnother, file, database, cause: error };
  return new SendctlError("database", `${message}, so nothing was restored`, details);
}

/**
 * Opens a Store on a copy of a backup in memory, without its keys.
 *
 * @param now microseconds since 1970
 * @throws as `openCopy`
 */
export async function openBackupStore(source: string, now: () => Microseconds): Promise<Store> {
  let image: Buffer;
  try {
    refuseSource(":memory:", source);
    image = readFileSync(source);
  } catch (error) {
    throw unreadableFile(source, error);
  }
  // The format's version: 2 means a write-ahead log, which a database in memory cannot have.
  if (image.length > 20) image.fill(1, 18, 20);
  const copy = await validated(connect(image), source, new AbortController().signal);
  copy.pragma("foreign_keys = ON");
  copy.exec("DELETE FROM secret_key");
  return storeOn(() => copy, source, now);
}

/** Writes a copy of a backup without its keys to a new file. @throws as `openCopy` */
export async function writeBackupCopy(
  source: string,
  file: string,
  signal: AbortSignal,
): Promise<void> {
  const copy = await openCopy(file, source, file, signal);
  try {
    copy.exec("DELETE FROM secret_key");
  } finally {
    copy.close();
  }
}
