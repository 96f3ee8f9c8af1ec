import { closeSync, copyFileSync, existsSync, openSync, readSync, statSync } from "node:fs";
import { SendctlError, type DatabaseProblem } from "../../../contract/error.ts";
import { connect } from "../connection/connect.ts";
import { isOf } from "./backup.ts";
import { copySnapshot, type Copying } from "./copy-file.ts";
import { databaseError, unusable } from "../connection/database-error.ts";
import { logSize, smallestPage, stepsBehind, type Database } from "../connection/open.ts";

/** @throws SendctlError "usage" for a file that can't be a backup of this database, by what it is */
export function refuseSource(file: string, source: string): void {
  const refuse = (message: string, hint = nameAnother, cause?: unknown): SendctlError =>
    new SendctlError("usage", `${source} ${message}`, { hint, file: source, cause });
  try {
    const found = statSync(source, { throwIfNoEntry: false });
    if (found === undefined) throw refuse("does not exist");
    if (found.isDirectory()) throw refuse("is a folder", "name a file");
    if (!found.isFile()) throw refuse("is not a file");
    if (isOf(file, source)) throw refuse("is the database itself");
    // It is only read.
    closeSync(openSync(source, "r"));
  } catch (error) {
    if (error instanceof SendctlError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    const hint = "check its permissions, or name another file";
    throw refuse(`cannot be read (${code})`, hint, error);
  }
}

const nameAnother = "name another file";
const notRestored = "so nothing was restored";

/**
 * Copies a file, which may be in use, and leaves nothing beside it: of a database with a write-ahead log
 * that nobody uses SQLite would make one, even to read it.
 */
export async function copySource(
  source: string,
  copy: string,
  timeout: number,
  copying: Copying,
): Promise<void> {
  const header = headerOf(source);
  if (!header.isDatabase) throw notOne(source, "not_a_database", "is not a database");
  if (header.hasLog && logSize(source) === 0 && !existsSync(`${source}-shm`)) {
    copyFileSync(source, copy);
    if (logSize(source) === 0) return;
  }
  const options = { readonly: true, fileMustExist: true, timeout };
  let reader: Database | undefined;
  try {
    const opened = (reader = connect(source, options));
    opened.transaction(() => stepsBehind(opened, source)).deferred();
    await copySnapshot(opened, copy, copying);
  } catch (error) {
    const { code = "" } = error as { code?: string };
    // What can't be written is the copy, beside the database.
    if (/^SQLITE_(FULL|IOERR)/.test(code)) throw databaseError(error, copy);
    throw sourceError(error, source, reader);
  } finally {
    reader?.close();
  }
}

/** Returns the error of a file that is not a sound backup. */
export function notOne(
  source: string,
  problem: DatabaseProblem,
  message: string,
  cause?: unknown,
): SendctlError {
  return unusable(source, [problem, `${message}, ${notRestored}`, nameAnother], cause);
}

/**
 * Returns the error that reading a backup ended with: a damaged one is replaced by another file, not
 * restored from a backup.
 */
export function sourceError(error: unknown, source: string, database?: Database): unknown {
  const failure = databaseError(error, source, database);
  if (!(failure instanceof SendctlError) || failure.database !== "damaged") return failure;
  return notOne(source, "damaged", "is damaged or cut short", error);
}

const magic = "SQLite format 3\0";

/** What the first bytes say. Not while SQLite has the file open in this process. */
function headerOf(file: string): { readonly isDatabase: boolean; readonly hasLog: boolean } {
  const header = Buffer.alloc(smallestPage);
  const descriptor = openSync(file, "r");
  try {
    const read = readSync(descriptor, header, 0, smallestPage, 0);
    const isDatabase = read === smallestPage && header.toString("latin1", 0, 16) === magic;
    return { isDatabase, hasLog: header[18] === 2 };
  } finally {
    closeSync(descriptor);
  }
}
