import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname } from "node:path";
import type Sqlite from "better-sqlite3";
import { SendctlError } from "../../../contract/error.ts";
import type { BackupReport, Holding } from "../../maintenance/maintenance.ts";
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
import { databaseError, unusable } from "../connection/database-error.ts";
import { faultsOf, soundnessChecks } from "./integrity.ts";
import { holdingOf } from "./record-counts.ts";
import { lookInPlace } from "./look.ts";
import { stepsBehind } from "../connection/open.ts";

/**
 * Copies a database, as it is when it begins, to a file; others may write meanwhile. The copy is made
 * beside the file, checked, and put into its place whole: a file that is half a backup is never there.
 *
 * @param target absolute path
 * @param replaces whether the file may be there already
 * @param taken absolute paths that are kept for something else, whether they are there or not
 * @param patience how long to wait for others, in milliseconds
 * @throws SendctlError "usage" for a target that can't be one, "database", "cancelled", "terminated"
 */
export async function backUp(
  file: string,
  target: string,
  replaces: boolean,
  taken: readonly string[],
  patience: number,
  copying: Copying,
): Promise<BackupReport> {
  const place = placeOf(file, target, replaces, taken);
  if (!existsSync(file)) throw unusable(file, "is not there yet: there is nothing to back up");
  let copy: string | undefined;
  try {
    copy = makeBeside(place, "backup");
    await copyTo(copy, file, patience, copying);
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
  const refuse = (meaning: string): SendctlError =>
    new SendctlError("usage", `${target} ${meaning}`);
  try {
    const found = statSync(target, { throwIfNoEntry: false });
    if (found?.isDirectory()) throw refuse("is a folder: name a file in it");
    if (!existsSync(dirname(target))) {
      throw refuse("is in a folder that is not there: make the folder, or name another file");
    }
    const place = found === undefined ? target : realpathSync(target);
    if (isOf(file, place)) throw refuse("is the database itself: name another file");
    if (taken.some((one) => isSame(one, place))) {
      throw refuse("is where `sendctl serve` keeps its requests: name another file");
    }
    if (found !== undefined && !found.isFile()) throw refuse("is no file: name another");
    if (isThere(target) && !replaces) {
      throw refuse("is there already: name another file, or replace it with --force");
    }
    for (const ending of ["-wal", "-journal"]) {
      // SQLite would take it for a part of the copy.
      if (existsSync(`${place}${ending}`)) {
        throw refuse(`is in use, or was left in the middle of something (${ending}): name another`);
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
  patience: number,
  copying: Copying,
): Promise<void> {
  let source: Sqlite.Database | undefined;
  try {
    const { database } = lookInPlace(file, patience);
    source = database;
    database.transaction(() => stepsBehind(database, file)).deferred();
    await copySnapshot(database, copy, copying);
  } catch (error) {
    const { code = "" } = error as { code?: string };
    // What can't be read is the database; what can't be written is the copy.
    throw /^SQLITE_(CORRUPT|NOTADB|ERROR|BUSY|CANTOPEN)/.test(code)
      ? databaseError(error, file)
      : error;
  } finally {
    source?.close();
  }
}

/** One file without a log beside it, which was found to be sound. */
function readied(copy: string, file: string): Holding {
  const database = connect(copy);
  try {
    database.pragma("journal_mode = DELETE");
    const { count, first } = faultsOf(database, soundnessChecks);
    const [fault] = first;
    if (fault === undefined) return holdingOf(database);
    const more = count === 1 ? "" : ` (and ${count - 1} more)`;
    throw unusable(
      file,
      `is damaged: ${fault.detail}${more}; nothing was backed up, see \`sendctl local check\``,
    );
  } finally {
    database.close();
  }
}

/** A link takes no place that is taken; where there are no links, nobody is expected to be so quick. */
function putInPlace(copy: string, place: string, replaces: boolean): void {
  chmodSync(copy, 0o600);
  if (!replaces) {
    try {
      linkSync(copy, place);
      rmSync(copy);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST" || isThere(place)) throw error;
    }
  }
  renameSync(copy, place);
}

/** Meanings of what the file system, or SQLite, says of a file that is to be written. */
const meanings: readonly (readonly [prefix: string, meaning: string])[] = [
  ["EACCES", "can't be written: let yourself into its folder, or name another file"],
  ["EPERM", "can't be written: let yourself into its folder, or name another file"],
  ["EROFS", "is on a read-only disk: name a file elsewhere"],
  ["ENOTDIR", "can't be written, a part of its path is no folder: name another file"],
  ["ENOENT", "can't be written, a part of its path is not there: name another file"],
  ["ENAMETOOLONG", "can't be written, its name is too long: name another file"],
  ["ELOOP", "can't be written, its links lead in a circle: name another file"],
  ["EEXIST", "is there already: name another file, or replace it with --force"],
];

/** What can't be named is a mistake of who names it; what has no room is not. */
function targetFailure(error: unknown, target: string): unknown {
  const code = (error as { code?: unknown } | null)?.code;
  if (error instanceof SendctlError || typeof code !== "string") return error;
  const known = meanings.find(([prefix]) => code === prefix);
  if (known !== undefined) {
    return new SendctlError("usage", `${target} ${known[1]}`, { cause: error });
  }
  const isRoom = /^(ENOSPC|EDQUOT|EFBIG|SQLITE_FULL|SQLITE_IOERR)/.test(code);
  if (!isRoom) return databaseError(error, target);
  const meaning = "can't be written: make room on its disk, or name a file elsewhere";
  return new SendctlError("database", `${target} ${meaning}`, { cause: error });
}
