import { existsSync, lstatSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type Sqlite from "better-sqlite3";
import { SendctlError } from "../../../contract/error.ts";
import type { BackupReport, RecordCounts } from "../../maintenance/maintenance.ts";
import {
  copySnapshot,
  flush,
  flushFolder,
  hearSignals,
  makeBeside,
  refuseStopped,
  removeWithLogs,
  type Copying,
} from "./copy-file.ts";
import { connect } from "../connection/connect.ts";
import { putInPlace } from "../put-in-place.ts";
import { codeOf, databaseError, unusable } from "../connection/database-error.ts";
import { faultsOf, soundnessChecks } from "./integrity.ts";
import { countRecords } from "./record-counts.ts";
import { lookInPlace } from "./look.ts";
import { stepsBehind } from "../connection/open.ts";
import { markAsOwn } from "../connection/mark.ts";

/**
 * Copies a database, as it is when it begins, to a file; others may write meanwhile. The copy is made
 * beside the file, checked, and put into its place whole: a file that is half a backup is never there.
 *
 * @param target absolute path
 * @param replaces whether the file may be there already
 * @param taken absolute paths that are kept for something else, whether they are there or not
 * @param timeout how long to wait for others, in milliseconds
 * @throws SendctlError "usage" for a target that can't be one, "database", "cancelled", "terminated"
 */
export async function backUp(
  file: string,
  target: string,
  replaces: boolean,
  taken: readonly string[],
  timeout: number,
  copying: Copying,
): Promise<BackupReport> {
  const place = placeOf(file, target, replaces, taken);
  if (!existsSync(file)) {
    const hint = "name the database to back up with --database";
    throw unusable(file, ["missing", "does not exist, so there is nothing to back up", hint]);
  }
  let copy: string | undefined;
  try {
    copy = makeBeside(place, "backup");
    await copyTo(copy, file, timeout, copying);
    const holding = readied(copy, file);
    await hearSignals();
    refuseStopped(copying);
    flush(copy);
    putInPlace(copy, place, replaces);
    flushFolder(dirname(place));
    return { file: place, bytes: statSync(place).size, ...holding };
  } catch (error) {
    throw targetFailure(error, target);
  } finally {
    if (copy !== undefined) removeWithLogs(copy);
  }
}

/** Where the copy is to be, once that is known to be possible. */
function placeOf(
  file: string,
  target: string,
  replaces: boolean,
  taken: readonly string[],
): string {
  const refuse = (message: string, hint = nameAnother): SendctlError =>
    new SendctlError("usage", `${target} ${message}`, { hint, file: target });
  try {
    const found = statSync(target, { throwIfNoEntry: false });
    if (found?.isDirectory()) throw refuse("is a folder", "name a file in it");
    if (!existsSync(dirname(target))) {
      throw refuse("is in a folder that does not exist", "create the folder, or name another file");
    }
    const place = found === undefined ? target : realpathSync(target);
    if (isOf(file, place)) throw refuse("is the database itself");
    if (taken.some((one) => isSame(one, place))) {
      throw refuse("is the request log of `sendctl serve`");
    }
    if (found !== undefined && !found.isFile()) throw refuse("is not a file");
    if (isThere(target) && !replaces) {
      throw refuse(...exists);
    }
    for (const ending of ["-wal", "-journal"]) {
      // SQLite would take it for a part of the copy.
      if (existsSync(`${place}${ending}`)) {
        throw refuse(`is in use, or a program that used it was killed (${ending})`);
      }
    }
    return place;
  } catch (error) {
    throw targetFailure(error, target);
  }
}

/** A link that leads nowhere is there, too. */
function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Whether a path leads to a database, or to a file that SQLite keeps beside it. */
export function isOf(file: string, path: string): boolean {
  const real = existsSync(file) ? realpathSync(file) : file;
  return [file, real]
    .flatMap((one) => ["", "-wal", "-shm", "-journal"].map((ending) => `${one}${ending}`))
    .some((own) => isSame(own, path));
}

/** Whether two paths are of one file, or of one that is yet to be made. */
function isSame(one: string, other: string): boolean {
  if (one === other) return true;
  const [first, second] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false }));
  return first !== undefined && first.ino === second?.ino && first.dev === second.dev;
}

async function copyTo(
  copy: string,
  file: string,
  timeout: number,
  copying: Copying,
): Promise<void> {
  let source: Sqlite.Database | undefined;
  try {
    const { database } = lookInPlace(file, timeout);
    source = database;
    database.transaction(() => stepsBehind(database, file)).deferred();
    await copySnapshot(database, copy, copying);
  } catch (error) {
    const { code = "" } = error as { code?: string };
    // What can't be read is the database; what can't be written is the copy.
    throw /^SQLITE_(CORRUPT|NOTADB|ERROR|BUSY|CANTOPEN)/.test(code)
      ? databaseError(error, file, source)
      : error;
  } finally {
    source?.close();
  }
}

/** One file without a log beside it, which was found to be sound. */
function readied(copy: string, file: string): RecordCounts {
  const database = connect(copy);
  try {
    database.pragma("journal_mode = DELETE");
    const { count, first } = faultsOf(database, soundnessChecks);
    const [problem] = first;
    if (problem === undefined) {
      markAsOwn(database);
      return countRecords(database);
    }
    const more = count === 1 ? "" : ` (and ${count - 1} more)`;
    const message = `is damaged, so nothing was backed up: ${problem.detail}${more}`;
    throw unusable(file, ["damaged", message, "sendctl local check"]);
  } finally {
    database.close();
  }
}

const nameAnother = "name another file";
const exists = ["already exists", "name another file, or pass --force to replace it"] as const;
const noAccess = ["cannot be written: permission denied", "check the permissions of its folder"];

/** By error code of the file system: what is wrong with a file that is to be written, and the hint. */
const meanings: Readonly<Record<string, readonly string[]>> = {
  EACCES: noAccess,
  EPERM: noAccess,
  EROFS: ["is on a read-only disk", "name a file elsewhere"],
  ENOTDIR: ["cannot be written: part of its path is not a folder", nameAnother],
  ENOENT: ["cannot be written: part of its path does not exist", nameAnother],
  ENAMETOOLONG: ["cannot be written: its name is too long", nameAnother],
  ELOOP: ["cannot be written: its links lead in a circle", nameAnother],
  EEXIST: exists,
};

/** A target that cannot be used is a usage error; a full disk is an error of the database. */
function targetFailure(error: unknown, target: string): unknown {
  const code = codeOf(error);
  if (error instanceof SendctlError || code === undefined) return error;
  const [message, hint] = meanings[code] ?? [];
  if (message !== undefined) {
    const details = { hint, file: target, cause: error };
    return new SendctlError("usage", `${target} ${message}`, details);
  }
  const isRoom = /^(ENOSPC|EDQUOT|EFBIG|SQLITE_FULL|SQLITE_IOERR)/.test(code);
  if (!isRoom) return databaseError(error, target);
  return new SendctlError("database", `${target} cannot be written`, {
    hint: "free disk space, or name a file elsewhere",
    file: target,
    database: "full",
    cause: error,
  });
}
