import type { Database } from "better-sqlite3";
import { type DatabaseProblem, SendctlError } from "../../../core/error.ts";
import { changeOf } from "./connect.ts";

/** The problem with a file as data, its message and a hint. */
export type Meaning = readonly [problem: DatabaseProblem, message: string, hint: string];

const nameAnother = "use another file";
const moveAway = "move it away to start with an empty one";
const tryAgain = "try again when the other process is done";
const checkAccess = "check the permissions of the file and its folder";
const freeSpace = "free disk space, or raise the limit, and try again";

export const damaged: Meaning = [
  "damaged",
  "is damaged or truncated",
  `restore it from a backup (sendctl local restore FILE), or ${moveAway}`,
];
export const notDatabase: Meaning = [
  "not_a_database",
  "is not a database",
  `${nameAnother}, or ${moveAway}`,
];
export const isFolder: Meaning = ["access", "is a folder", "name a file"];

/** What SQLite would not have refused in a database as sendctl has created it. */
const altered: Meaning = ["damaged", "lacks something that sendctl created", "sendctl local check"];
const noPath: Meaning = [
  "missing",
  "cannot be created: part of its path does not exist",
  nameAnother,
];
const noFolder: Meaning = [
  "access",
  "cannot be opened: part of its path is not a folder",
  nameAnother,
];

/** The meanings of result codes of SQLite and of error codes of the file system. The first match wins. */
const meanings: readonly (readonly [codes: RegExp, meaning: Meaning])[] = [
  [/^SQLITE_(BUSY|LOCKED|PROTOCOL)/, ["locked", "is locked by another process", tryAgain]],
  [/^SQLITE_CORRUPT/, damaged],
  [/^SQLITE_NOTADB/, notDatabase],
  [/^SQLITE_ERROR/, altered],
  [/^SQLITE_FULL/, ["full", "cannot grow: the disk is full", freeSpace]],
  [/^(ENOSPC|EDQUOT|EFBIG)/, ["full", "cannot be created: the disk is full", freeSpace]],
  [/^SQLITE_READONLY/, ["access", "cannot be written", checkAccess]],
  [/^SQLITE_CANTOPEN/, ["access", "cannot be opened", checkAccess]],
  [/^(SQLITE_PERM|EACCES|EPERM)/, ["access", "cannot be opened: permission denied", checkAccess]],
  [/^(SQLITE_IOERR|EIO)/, ["io", "cannot be read or written", "check the disk and its free space"]],
  [/^EROFS/, ["access", "is on a read-only disk", "name a file on another disk"]],
  [/^ENOENT/, noPath],
  [/^EISDIR/, isFolder],
  [/^(ENOTDIR|EEXIST)/, noFolder],
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

/**
 * Converts an error of SQLite or of the file system to a SendctlError. Any other error is a defect and is returned unchanged.
 *
 * @param database the database on which the statement failed, still open
 */
export function databaseError(error: unknown, file: string, database?: Database): unknown {
  const code = codeOf(error);
  const isOfDatabase = code !== undefined || (error as Partial<SendctlError>).kind === "database";
  const isOpen = database?.open === true && database.name === file;
  const change = isOfDatabase && isOpen ? changeOf(database, file) : undefined;
  if (change !== undefined) {
    // A restore, for example, has just done so. What was read of two files says nothing of either.
    const details = { hint: "try again", file, database: "replaced", cause: error } as const;
    return new SendctlError("database", change, details);
  }
  if (code === undefined) return error;
  // The only reference of a caller that another process can break.
  if (code === "SQLITE_CONSTRAINT_FOREIGNKEY") {
    const hint = "sendctl local integration list";
    return new SendctlError("auth", "the integration was deleted", { hint, cause: error });
  }
  const meaning = meaningOf(code);
  return meaning === undefined ? error : unusable(file, meaning, error);
}

/** Returns the meaning of a result code of SQLite or of the file system; undefined if it has none. */
export function meaningOf(code: string): Meaning | undefined {
  return meanings.find(([codes]) => codes.test(code))?.[1];
}

/** Returns the SQLite result code or the system error code; undefined for any other error. */
export function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : undefined;
}
