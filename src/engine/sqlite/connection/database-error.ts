import type { Database } from "better-sqlite3";
import { type DatabaseProblem, SendctlError } from "../../../core/error.ts";
import { changeOf } from "./connect.ts";
import { schemaDifferences } from "./migrations.ts";

/** The problem with a file as data, its message and a hint. */
export type Meaning = readonly [problem: DatabaseProblem, message: string, hint: string];

const nameAnother = "use another file";
const tryAgain = "try again when the other process is done";
const checkPermissions = "check the permissions of the file and its folder";
const freeSpace = "free disk space and try again";

export const damaged: Meaning = [
  "damaged",
  "is damaged or truncated",
  "restore it from a backup (sendctl local restore FILE), or move it away to start with an empty one",
];
export const notDatabase: Meaning = [
  "not_a_database",
  "is not a database",
  `${nameAnother}, or move it away to start with an empty one`,
];
export const isFolder: Meaning = ["access", "is a folder", "name a file"];
const locked: Meaning = ["locked", "is locked by another process", tryAgain];
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
const noAccess: Meaning = ["access", "cannot be opened: permission denied", checkPermissions];
const noIds: Meaning = [
  "full",
  "has used up its ids",
  "move the records to a new database: sendctl export, then sendctl apply --database FILE",
];
const io: Meaning = ["io", "cannot be read or written", "check the disk and its free space"];

/** The meaning of SQLite result codes and file system error codes, by prefix. */
const meanings: readonly (readonly [prefix: string, meaning: Meaning])[] = [
  ["SQLITE_BUSY", locked],
  ["SQLITE_LOCKED", locked],
  ["SQLITE_PROTOCOL", locked],
  ["SQLITE_CORRUPT", damaged],
  ["SQLITE_NOTADB", notDatabase],
  ["SQLITE_FULL", ["full", "cannot grow: the disk is full", freeSpace]],
  ["SQLITE_READONLY", ["access", "cannot be written", checkPermissions]],
  ["SQLITE_PERM", noAccess],
  ["SQLITE_CANTOPEN", ["access", "cannot be opened", checkPermissions]],
  ["SQLITE_IOERR", io],
  ["ENOSPC", ["full", "cannot be created: the disk is full", freeSpace]],
  ["EFBIG", ["full", "cannot be created: it exceeds the limit on file sizes", "raise the limit"]],
  ["EIO", io],
  ["EDQUOT", ["full", "cannot be created: the disk quota is used up", freeSpace]],
  ["ENOENT", noPath],
  ["EACCES", noAccess],
  ["EPERM", noAccess],
  ["EROFS", ["access", "is on a read-only disk", "name a file on another disk"]],
  ["EISDIR", isFolder],
  ["ENOTDIR", noFolder],
  ["EEXIST", noFolder],
  ["ENAMETOOLONG", ["access", "cannot be opened: its name is too long", nameAnother]],
  ["ELOOP", ["access", "cannot be opened: too many levels of symbolic links", nameAnother]],
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
 * Converts an error of SQLite or of the file system to a SendctlError. Any other error is a defect
 * and is returned unchanged. That includes SQL that SQLite rejects, unless the schema differs from
 * the one that the migrations create.
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
    return new SendctlError("auth", "the integration was deleted", {
      hint: "sendctl local integration list",
      cause: error,
    });
  }
  if (code === "SQLITE_ERROR") {
    return isAltered(database) ? unusable(file, damaged, error) : error;
  }
  const meaning = code === "SQLITE_FULL" && hasNoIds(database) ? noIds : meaningOf(code);
  return meaning === undefined ? error : unusable(file, meaning, error);
}

/** Returns whether a table has used up its ids, for which SQLite has the code of a full disk. */
function hasNoIds(database: Database | undefined): boolean {
  // A database that could not be created has no tables.
  if (database?.open !== true || database.pragma("user_version", { simple: true }) === 0)
    return false;
  const sql = "SELECT 1 FROM sqlite_sequence WHERE seq = 9223372036854775807";
  return database.prepare<[]>(sql).get() !== undefined;
}

/** Returns the meaning of a result code of SQLite or of the file system; undefined if it has none. */
export function meaningOf(code: string): Meaning | undefined {
  return meanings.find(([prefix]) => code.startsWith(prefix))?.[1];
}

/** Returns the SQLite result code or the system error code; undefined for any other error. */
export function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : undefined;
}

/** Whether tables or other parts of the schema are missing or changed. */
export function isAltered(database: Database | undefined): boolean {
  if (database?.open !== true) return false;
  try {
    for (const _ of schemaDifferences(database)) return true;
    return false;
  } catch (error) {
    // These queries succeed on any intact database. SQLite rejects a schema that it cannot read.
    return /^SQLITE_(CORRUPT|NOTADB|ERROR)/.test(codeOf(error) ?? "");
  }
}
