import { SendctlError } from "../../../contract/error.ts";

/** What is wrong with a file that is one of ours, and no longer whole. */
export const damaged =
  "is damaged or cut short: restore it from a backup, or move it away to begin anew";

/** What each result code of SQLite, or error code of the file system, means for whoever owns the file. */
const meanings: readonly (readonly [prefix: string, meaning: string])[] = [
  ["SQLITE_BUSY", "is locked by another process: try again when that is done"],
  ["SQLITE_LOCKED", "is locked by another process: try again when that is done"],
  ["SQLITE_CORRUPT", damaged],
  ["SQLITE_NOTADB", "is not a database: name another file, or move it away to begin anew"],
  // Every statement is a tested one: SQLite refuses it only where tables or columns are gone.
  ["SQLITE_ERROR", damaged],
  ["SQLITE_PROTOCOL", "is locked by another process: try again when that is done"],
  ["SQLITE_FULL", "can't grow, the disk is full: make room and try again"],
  ["SQLITE_READONLY", "can't be written: make the file and its folder writable for you"],
  ["SQLITE_PERM", "can't be opened: make the file and its folder readable and writable for you"],
  [
    "SQLITE_CANTOPEN",
    "can't be opened: make the file and its folder readable and writable for you",
  ],
  ["SQLITE_IOERR", "can't be read or written: check the disk and the room on it"],
  ["ENOSPC", "can't be created, the disk is full: make room and try again"],
  ["EDQUOT", "can't be created, the disk quota is used up: make room and try again"],
  ["ENOENT", "can't be created, a part of its path is not there: name another file"],
  ["EACCES", "can't be opened: make the file and its folder readable and writable for you"],
  ["EPERM", "can't be opened: make the file and its folder readable and writable for you"],
  ["EROFS", "is on a read-only disk: name a file elsewhere"],
  ["EISDIR", "is a folder: name a file"],
  ["ENOTDIR", "can't be opened, a part of its path is no folder: name another file"],
  ["EEXIST", "can't be opened, a part of its path is no folder: name another file"],
  ["ENAMETOOLONG", "can't be opened, its name is too long: name another file"],
  ["ELOOP", "can't be opened, its links lead in a circle: name another file"],
];

/** Where a newer sendctl, or another program, has written the file. */
export function unusable(file: string, meaning: string, cause?: unknown): SendctlError {
  return new SendctlError("database", `The database ${file} ${meaning}`, { cause });
}

/** The SendctlError that an error of SQLite or of the file system means, or the error itself: a defect. */
export function databaseError(error: unknown, file: string): unknown {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code !== "string") return error;
  // The one reference that a caller holds and another process can break.
  if (code === "SQLITE_CONSTRAINT_FOREIGNKEY") {
    return new SendctlError("auth", "The integration is gone: it was deleted", { cause: error });
  }
  const known = meanings.find(([prefix]) => code.startsWith(prefix));
  return known === undefined ? error : unusable(file, known[1], error);
}
