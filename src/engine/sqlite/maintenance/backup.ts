import { existsSync, lstatSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { SendctlError } from "../../../core/error.ts";
import type { BackupReport, RecordCounts } from "../../maintenance/maintenance.ts";
import { isTaken } from "../../../core/own-file.ts";
import { createBeside, throwIfStopped } from "./copy-file.ts";
import { connect, identify, isSame } from "../connection/connect.ts";
import { codeOf, databaseError, meaningOf, unusable } from "../connection/database-error.ts";
import { countRecords, damageOf } from "./integrity.ts";
import { openToRead, stepsBehind, withDatabase, type Database } from "../connection/open.ts";

/**
 * Backs up a database, as it is when the copy begins, to a file; other processes may keep writing.
 * The copy is created beside the file, checked, and then renamed, so that a partial backup never
 * appears.
 *
 * @param target absolute path of the backup
 * @param replaces whether an existing file may be replaced
 * @throws SendctlError "usage" for an unsuitable target, "database", "cancelled", "terminated"
 */
export async function backUp(
  file: string,
  target: string,
  replaces: boolean,
  signal: AbortSignal,
): Promise<BackupReport> {
  try {
    const path = resolveTarget(file, target, replaces);
    if (!existsSync(file) || statSync(file).size === 0) {
      const message = "does not exist or is empty, so there is nothing to back up";
      throw unusable(file, ["missing", message, "name the database to back up with --database"]);
    }
    const counts = await createBeside(path, "backup", replaces, async (copy) => {
      await copyTo(copy, file, target);
      const found = await validateCopy(copy, file, signal);
      await throwIfStopped(signal);
      return found;
    });
    return { file: path, bytes: statSync(path).size, ...counts };
  } catch (error) {
    throw targetFailure(error, target);
  }
}

/**
 * Returns the path of the backup, with links resolved, once every check of the target has passed.
 */
function resolveTarget(file: string, target: string, replaces: boolean): string {
  const refuse = (message: string, hint = nameAnother): SendctlError =>
    new SendctlError("usage", `${target} ${message}`, { hint, file: target });
  const found = statSync(target, { throwIfNoEntry: false });
  if (found?.isDirectory()) throw refuse("is a folder", "name a file in it");
  if (!existsSync(dirname(target))) {
    throw refuse("is in a folder that does not exist", "create the folder, or use another file");
  }
  const path = found === undefined ? target : realpathSync(target);
  if (isDatabaseFile(file, path)) throw refuse("is the database itself");
  if (found !== undefined && !found.isFile()) throw refuse("is not a file");
  if (isTaken(target) && !replaces) throw refuse(...alreadyExists);
  if (lstatSync(target, { throwIfNoEntry: false })?.isSymbolicLink() === true) {
    throw refuse("is a link", "name the file itself, or another one");
  }
  for (const ending of ["-wal", "-journal"]) {
    // SQLite would treat it as part of the copy.
    if (existsSync(`${path}${ending}`)) {
      throw refuse(`is in use, or a program that used it was killed (${ending})`);
    }
  }
  return path;
}

/** Returns whether a path leads to a database or to a file that SQLite creates beside it. */
export function isDatabaseFile(file: string, path: string): boolean {
  const real = existsSync(file) ? realpathSync(file) : file;
  const found = identify(path);
  return ["", "-wal", "-shm", "-journal"]
    .map((ending) => `${real}${ending}`)
    .some((taken) => taken === path || (found !== undefined && isSame(found, identify(taken))));
}

/** Writes a snapshot of the database to an empty file. */
function copyTo(copy: string, file: string, target: string): Promise<void> {
  const write = (database: Database): void => {
    stepsBehind(database, file);
    try {
      database.prepare<[string]>("VACUUM INTO ?").run(copy);
    } catch (error) {
      // Without space, it is the copy that cannot be written.
      throw /^SQLITE_(FULL|IOERR)/.test(codeOf(error) ?? "") ? targetFailure(error, target) : error;
    }
  };
  return withDatabase(file, write, () => openToRead(file));
}

/**
 * Checks the copy.
 *
 * @throws SendctlError "database" if the database is damaged
 */
async function validateCopy(
  copy: string,
  file: string,
  signal: AbortSignal,
): Promise<RecordCounts> {
  const database = connect(copy);
  try {
    const damage = await damageOf(database, signal);
    if (damage !== undefined) {
      const message = `is damaged, so nothing was backed up: ${damage}`;
      throw unusable(file, ["damaged", message, "sendctl local check"]);
    }
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
