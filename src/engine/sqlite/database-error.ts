import type { Database } from "better-sqlite3";
import { statSync, type BigIntStats } from "node:fs";
import { integrationDeleted } from "../store/shared-methods.ts";
import { type DatabaseProblem, SendctlError } from "../../core/error.ts";

/** The problem with a file as data, its message and a hint. */
export type Meaning = readonly [problem: DatabaseProblem, message: string, hint: string];

export const nameAnother = "use another file";
const moveAway = "move it away to start with an empty one";
const restoreIt = `restore it from a backup (sendctl local restore FILE), or ${moveAway}`;
const tryAgain = "try again when the other process is done";
const checkAccess = "check the permissions of the file and its folder";
const freeSpace = "free disk space, or raise the limit, and try again";
const checkDisk = "check the disk and its free space";

export const damaged: Meaning = ["damaged", "is damaged or truncated", restoreIt];
export const notDatabase: Meaning = [
  "not_a_database",
  "is not a database",
  `${nameAnother}, or ${moveAway}`,
];
export const isFolder: Meaning = ["access", "is a folder", "name a file"];

/** The meanings of SQLite result codes and file system error codes. The first match wins. */
const meanings: readonly (readonly [codes: RegExp, meaning: Meaning])[] = [
  [/^SQLITE_(BUSY|LOCKED|PROTOCOL)/, ["locked", "is locked by another process", tryAgain]],
  [/^SQLITE_CORRUPT/, damaged],
  [/^SQLITE_NOTADB/, notDatabase],
  // SQLite refuses none of our statements in a database as sendctl has created it.
  [/^SQLITE_ERROR/, ["damaged", "lacks something that sendctl created", "sendctl local check"]],
  [/^SQLITE_FULL/, ["full", "cannot grow: the disk is full", freeSpace]],
  [/^(ENOSPC|EDQUOT|EFBIG)/, ["full", "cannot be created: the disk is full", freeSpace]],
  [/^SQLITE_READONLY/, ["access", "cannot be written", checkAccess]],
  [/^SQLITE_CANTOPEN/, ["access", "cannot be opened", checkAccess]],
  [/^(SQLITE_PERM|EACCES|EPERM)/, ["access", "cannot be opened: permission denied", checkAccess]],
  [/^(SQLITE_IOERR|EIO)/, ["io", "cannot be read or written", checkDisk]],
  [/^EROFS/, ["access", "is on a read-only disk", "name a file on another disk"]],
  [/^ENOENT/, ["missing", "cannot be created: part of its path does not exist", nameAnother]],
  [/^EISDIR/, isFolder],
  [/^(ENOTDIR|EEXIST)/, ["access", "has a path with a part that is not a folder", nameAnother]],
  [/^ENAMETOOLONG/, ["access", "cannot be opened: its name is too long", nameAnother]],
  [/^ELOOP/, ["access", "cannot be opened: too many levels of symbolic links", nameAnother]],
];

/** Returns the error for a database file that cannot be used. */
export function unusable(
  file: string,
  [problem, message, hint]: Meaning,
  cause?: unknown,
): SendctlError {
  const details = { hint, file, database: problem, cause };
  return new SendctlError("database", `the database ${file} ${message}`, details);
}

/** Returns the SQLite result code or the system error code; undefined for any other error. */
export function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" && /^(SQLITE_|E[A-Z]+$)/.test(code) ? code : undefined;
}

/**
 * Converts an error of SQLite or of the file system to a SendctlError. Returns defects unchanged.
 *
 * @param database the database on which the statement failed, still open
 */
export function databaseError(error: unknown, file: string, database?: Database): unknown {
  const code = codeOf(error);
  const isOfDatabase = code !== undefined || (error as Partial<SendctlError>).kind === "database";
  // A restore may have just replaced it. What was read of two files says nothing of either.
  const change = isOfDatabase && database?.open === true ? changeOf(database, file) : undefined;
  if (change !== undefined) return replacedError(change, file, error);
  if (code === undefined) return error;
  // The only reference of a caller that another process can break.
  if (code === "SQLITE_CONSTRAINT_FOREIGNKEY") {
    return integrationDeleted(error);
  }
  const meaning = meanings.find(([codes]) => codes.test(code))?.[1];
  return meaning === undefined ? error : unusable(file, meaning, error);
}

/** Identifies a file under any name. On Windows, a double cannot hold the numbers exactly. */
type Identity = Pick<BigIntStats, "dev" | "ino">;

/**
 * The files that each connection has open, by path: the database, its write-ahead log and the index
 * of that. They are compared by identity, because the name of a removed file can be reused.
 */
const openFiles = new WeakMap<Database, Map<string, Identity>>();

/** Returns the identity of a file; undefined if it does not exist or cannot be looked up. */
export function identify(path: string): Identity | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false, bigint: true });
  } catch {
    return undefined;
  }
}

/** Returns whether two lookups found the same file. */
export function isSame(left: Identity | undefined, right: Identity | undefined): boolean {
  return left?.ino === right?.ino && left?.dev === right?.dev;
}

/** Notes a file that a connection has open, unless it does not exist. */
export function noteOpen(database: Database, path: string, identity: Identity | undefined): void {
  const files = openFiles.get(database) ?? new Map<string, Identity>();
  if (identity !== undefined) openFiles.set(database, files.set(path, identity));
}

/** Returns how the files of an open database have changed; undefined if they are the same. */
function changeOf(database: Database, file: string): string | undefined {
  for (const [path, identity] of openFiles.get(database) ?? []) {
    const found = identify(path);
    if (isSame(found, identity)) continue;
    const change = `was ${found === undefined ? "removed" : "replaced"} while it was open`;
    const problem = path === file ? change : `cannot be written: ${path} ${change}`;
    return `the database ${file} ${problem}`;
  }
  return undefined;
}

function replacedError(change: string, file: string, cause?: unknown): SendctlError {
  const details = { hint: "try again", file, database: "replaced", cause } as const;
  return new SendctlError("database", change, details);
}

/**
 * Checks that the path of an open database still leads to the open file, and its log to the open
 * log: SQLite keeps writing to a removed file, and all of those writes are lost.
 *
 * @param isCommitted whether a write was committed: it may be lost, or in the file by a checkpoint
 * @throws SendctlError "database"; "outcome_unknown" after a commit
 */
export function refuseReplaced(database: Database, file: string, isCommitted = false): void {
  const change = changeOf(database, file);
  if (change === undefined) return;
  if (!isCommitted) throw replacedError(change, file);
  const hint = "list the records before you retry";
  throw new SendctlError("outcome_unknown", `${change}; the write may have succeeded`, { hint });
}
