import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type Sqlite from "better-sqlite3";
import { SendctlError } from "../../../core/error.ts";
import type { BackupReport, RecordCounts } from "../../maintenance/maintenance.ts";
import {
  copySnapshot,
  createFileBeside,
  deliverSignals,
  flush,
  flushFolder,
  isTaken,
  moveIntoPlace,
  removeWithLogs,
  throwIfStopped,
  type Copying,
} from "./copy-file.ts";
import { connect, identify, isSame } from "../connection/connect.ts";
import { codeOf, databaseError, meaningOf, unusable } from "../connection/database-error.ts";
import { damageOf } from "./integrity.ts";
import { countRecords } from "./record-counts.ts";
import { openToRead, stepsBehind } from "../connection/open.ts";
import { assignNewIdentity } from "../connection/mark.ts";

/**
 * Backs up a database, as it is when the copy begins, to a file; other processes may keep writing.
 * The copy is created beside the file, checked, and then renamed, so that a partial backup never
 * appears.
 *
 * @param target absolute path of the backup
 * @param replaces whether an existing file may be replaced
 * @param reservedPaths absolute paths that backups must not take, whether they exist or not
 * @throws SendctlError "usage" for an unsuitable target, "database", "cancelled", "terminated"
 */
export async function backUp(
  file: string,
  target: string,
  replaces: boolean,
  reservedPaths: readonly string[],
  copying: Copying,
): Promise<BackupReport> {
  const path = resolveTarget(file, target, replaces, reservedPaths);
  const size = existsSync(file) ? statSync(file).size : undefined;
  if (size === undefined || size === 0) {
    const problem = size === undefined ? "does not exist" : "is empty";
    const hint = "name the database to back up with --database";
    throw unusable(file, ["missing", `${problem}, so there is nothing to back up`, hint]);
  }
  let copy: string | undefined;
  try {
    copy = createFileBeside(path, "backup");
    await copyTo(copy, file, copying);
    const counts = validateCopy(copy, file);
    await deliverSignals();
    throwIfStopped(copying);
    flush(copy);
    moveIntoPlace(copy, path, replaces);
    flushFolder(dirname(path));
    return { file: path, bytes: statSync(path).size, ...counts };
  } catch (error) {
    throw targetFailure(error, target);
  } finally {
    if (copy !== undefined) removeWithLogs(copy);
  }
}

/**
 * Returns the path of the backup, with links resolved, once every check of the target has passed.
 */
function resolveTarget(
  file: string,
  target: string,
  replaces: boolean,
  reservedPaths: readonly string[],
): string {
  const refuse = (message: string, hint = nameAnother): SendctlError =>
    new SendctlError("usage", `${target} ${message}`, { hint, file: target });
  try {
    const found = statSync(target, { throwIfNoEntry: false });
    if (found?.isDirectory()) throw refuse("is a folder", "name a file in it");
    if (!existsSync(dirname(target))) {
      throw refuse("is in a folder that does not exist", "create the folder, or use another file");
    }
    const path = found === undefined ? target : realpathSync(target);
    if (isDatabaseFile(file, path)) throw refuse("is the database itself");
    if (reservedPaths.some((reserved) => isSamePath(reserved, path))) {
      throw refuse("is the request log of `sendctl serve`");
    }
    if (found !== undefined && !found.isFile()) throw refuse("is not a file");
    if (isTaken(target) && !replaces) {
      throw refuse(...alreadyExists);
    }
    for (const ending of ["-wal", "-journal"]) {
      // SQLite would treat it as part of the copy.
      if (existsSync(`${path}${ending}`)) {
        throw refuse(`is in use, or a program that used it was killed (${ending})`);
      }
    }
    return path;
  } catch (error) {
    throw targetFailure(error, target);
  }
}

/** Returns whether a path leads to a database or to a file that SQLite creates beside it. */
export function isDatabaseFile(file: string, path: string): boolean {
  const real = existsSync(file) ? realpathSync(file) : file;
  return [file, real]
    .flatMap((base) => ["", "-wal", "-shm", "-journal"].map((ending) => `${base}${ending}`))
    .some((databaseFile) => isSamePath(databaseFile, path));
}

/** Returns whether two paths lead to one file, which may not exist yet. */
function isSamePath(left: string, right: string): boolean {
  if (left === right) return true;
  const found = identify(left);
  return found !== undefined && isSame(found, identify(right));
}

async function copyTo(copy: string, file: string, copying: Copying): Promise<void> {
  let source: Sqlite.Database | undefined;
  try {
    const database = (source = openToRead(file));
    stepsBehind(database, file);
    await copySnapshot(database, copy, copying);
  } catch (error) {
    const { code = "" } = error as { code?: string };
    // Errors of reading concern the database, errors of writing the copy.
    throw /^SQLITE_(CORRUPT|NOTADB|ERROR|BUSY|CANTOPEN)/.test(code)
      ? databaseError(error, file, source)
      : error;
  } finally {
    source?.close();
  }
}

/**
 * Turns the copy into a single file without a log, and checks it.
 *
 * @throws SendctlError "database" if the database is damaged
 */
function validateCopy(copy: string, file: string): RecordCounts {
  const database = connect(copy);
  try {
    database.pragma("journal_mode = DELETE");
    const damage = damageOf(database);
    if (damage !== undefined) {
      const message = `is damaged, so nothing was backed up: ${damage}`;
      throw unusable(file, ["damaged", message, "sendctl local check"]);
    }
    assignNewIdentity(database);
    return countRecords(database);
  } finally {
    database.close();
  }
}

const nameAnother = "use another file";
const alreadyExists = [
  "already exists",
  "use another file, or pass --force to replace it",
] as const;

/**
 * Converts a file system error. An unusable target is a usage error; a full disk is a database
 * error.
 */
function targetFailure(error: unknown, target: string): unknown {
  const code = codeOf(error);
  if (error instanceof SendctlError || code === undefined) return error;
  if (/^(ENOSPC|EDQUOT|EFBIG|SQLITE_FULL|SQLITE_IOERR)/.test(code)) {
    return new SendctlError("database", `${target} cannot be written`, {
      hint: "free disk space, or name a file on another disk",
      file: target,
      database: "full",
      cause: error,
    });
  }
  const [, ...known] = meaningOf(code) ?? [];
  const [message, hint] = code === "EEXIST" ? alreadyExists : known;
  if (message === undefined || code.startsWith("SQLITE")) return databaseError(error, target);
  return new SendctlError("usage", `${target} ${message}`, { hint, file: target, cause: error });
}
