import type { Database } from "better-sqlite3";
import type { DatabaseProblem } from "../../../contract/error.ts";
import { SendctlError } from "../../../contract/error.ts";
import { schemaDifferences } from "./schema.ts";

/** What is wrong with a file, as data, for people, and what to do about it. */
export type Meaning = readonly [problem: DatabaseProblem, message: string, hint: string];

const nameAnother = "name another file";
const tryAgain = "try again when the other process is done";
const allow = "check the permissions of the file and its folder";
const makeRoom = "free disk space and try again";

export const damaged: Meaning = [
  "damaged",
  "is damaged or cut short",
  "restore it from a backup (sendctl local restore FILE), or move it away to start with an empty one",
];
export const notDatabase: Meaning = [
  "not_a_database",
  "is not a database",
  `${nameAnother}, or move it away to start with an empty one`,
];
export const isFolder: Meaning = ["access", "is a folder", "name a file"];
export const locked: Meaning = ["locked", "is locked by another process", tryAgain];
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
const noAccess: Meaning = ["access", "cannot be opened: permission denied", allow];

/** By result code of SQLite, or error code of the file system. */
const meanings: readonly (readonly [prefix: string, meaning: Meaning])[] = [
  ["SQLITE_BUSY", locked],
  ["SQLITE_LOCKED", locked],
  ["SQLITE_PROTOCOL", locked],
  ["SQLITE_CORRUPT", damaged],
  ["SQLITE_NOTADB", notDatabase],
  ["SQLITE_FULL", ["full", "cannot grow: the disk is full", makeRoom]],
  ["SQLITE_READONLY", ["access", "cannot be written", allow]],
  ["SQLITE_PERM", noAccess],
  ["SQLITE_CANTOPEN", ["access", "cannot be opened", allow]],
  ["SQLITE_IOERR", ["io", "cannot be read or written", "check the disk and the room on it"]],
  ["ENOSPC", ["full", "cannot be created: the disk is full", makeRoom]],
  ["EDQUOT", ["full", "cannot be created: the disk quota is used up", makeRoom]],
  ["ENOENT", noPath],
  ["EACCES", noAccess],
  ["EPERM", noAccess],
  ["EROFS", ["access", "is on a read-only disk", "name a file elsewhere"]],
  ["EISDIR", isFolder],
  ["ENOTDIR", noFolder],
  ["EEXIST", noFolder],
  ["ENAMETOOLONG", ["access", "cannot be opened: its name is too long", nameAnother]],
  ["ELOOP", ["access", "cannot be opened: its links lead in a circle", nameAnother]],
];

/** Returns the error of a database file that cannot be used. */
export function unusable(
  file: string,
  [problem, message, hint]: Meaning,
  cause?: unknown,
): SendctlError {
  const details = { hint, file, database: problem, cause };
  return new SendctlError("database", `the database ${file} ${message}`, details);
}

/**
 * Returns the SendctlError that an error of SQLite or of the file system means. Any other error is returned
 * as it is: a defect. That includes SQL that SQLite rejects, unless the schema is not the one we made.
 *
 * @param database where the statement failed, still open
 */
export function databaseError(error: unknown, file: string, database?: Database): unknown {
  const code = codeOf(error);
  if (code === undefined) return error;
  // The one reference that a caller holds and another process can break.
  if (code === "SQLITE_CONSTRAINT_FOREIGNKEY") {
    return new SendctlError("auth", "the integration was deleted", {
      hint: "sendctl local integration list",
      cause: error,
    });
  }
  if (code === "SQLITE_ERROR") {
    return isAltered(database) ? unusable(file, damaged, error) : error;
  }
  const known = meanings.find(([prefix]) => code.startsWith(prefix));
  return known === undefined ? error : unusable(file, known[1], error);
}

/** Returns the result code of SQLite or the error code of the system; undefined for any other error. */
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
    // Any sound database answers what the check asks: SQLite rejects a schema that it cannot read.
    return /^SQLITE_(CORRUPT|NOTADB|ERROR)/.test(codeOf(error) ?? "");
  }
}
