import { closeSync, copyFileSync, existsSync, openSync, readSync, statSync } from "node:fs";
import { SendctlError, type DatabaseProblem } from "../../../core/error.ts";
import { sqliteMagic } from "../../../core/files.ts";
import { connect } from "../connection/connect.ts";
import { isDatabaseFile } from "./backup.ts";
import { copySnapshot, type Copying } from "./copy-file.ts";
import { databaseError, unusable } from "../connection/database-error.ts";
import { logSize, minPageBytes, stepsBehind, type Database } from "../connection/open.ts";

/**
 * Rejects a file that cannot be a backup of this database because of its type or path.
 *
 * @throws SendctlError "usage"
 */
export function refuseSource(file: string, source: string): void {
  const refuse = (message: string, hint = nameAnother, cause?: unknown): SendctlError =>
    new SendctlError("usage", `${source} ${message}`, { hint, file: source, cause });
  try {
    const found = statSync(source, { throwIfNoEntry: false });
    if (found === undefined) throw refuse("does not exist");
    if (found.isDirectory()) throw refuse("is a folder", "name a file");
    if (!found.isFile()) throw refuse("is not a file");
    if (isDatabaseFile(file, source)) throw refuse("is the database itself");
    // Reading is enough: a restore does not write to the backup.
    headerOf(source);
  } catch (error) {
    if (error instanceof SendctlError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    const hint = "check its permissions, or use another file";
    throw refuse(`cannot be read (${code})`, hint, error);
  }
}

const nameAnother = "use another file";
const notRestored = "so nothing was restored";

/**
 * Copies a file that may be in use, and leaves nothing beside it. SQLite would create a log beside
 * an unused database in write-ahead mode, even to read it.
 */
export async function copySource(source: string, copy: string, copying: Copying): Promise<void> {
  const header = headerOf(source);
  if (!header.isDatabase) throw unusableBackup(source, "not_a_database", "is not a database");
  if (header.hasLog && logSize(source) === 0 && !existsSync(`${source}-shm`)) {
    copyFileSync(source, copy);
    if (logSize(source) === 0) return;
  }
  const options = { readonly: true, fileMustExist: true };
  let reader: Database | undefined;
  try {
    const opened = (reader = connect(source, options));
    stepsBehind(opened, source);
    await copySnapshot(opened, copy, copying);
  } catch (error) {
    const { code = "" } = error as { code?: string };
    // The file that cannot be written is the copy beside the database.
    if (/^SQLITE_(FULL|IOERR)/.test(code)) throw databaseError(error, copy);
    throw sourceError(error, source, reader);
  } finally {
    reader?.close();
  }
}

/** Returns the error for a file that is not a valid backup. */
export function unusableBackup(
  source: string,
  problem: DatabaseProblem,
  message: string,
  cause?: unknown,
): SendctlError {
  return unusable(source, [problem, `${message}, ${notRestored}`, nameAnother], cause);
}

/**
 * Converts the error of reading a backup. The hint for a damaged backup is to use another file,
 * not to restore it.
 */
export function sourceError(error: unknown, source: string, database?: Database): unknown {
  const failure = databaseError(error, source, database);
  if (!(failure instanceof SendctlError) || failure.database !== "damaged") return failure;
  return unusableBackup(source, "damaged", "is damaged or truncated", error);
}

/** Reads the file header. Not while SQLite has the file open in this process. */
function headerOf(file: string): { readonly isDatabase: boolean; readonly hasLog: boolean } {
  const header = Buffer.alloc(minPageBytes);
  const descriptor = openSync(file, "r");
  try {
    const bytesRead = readSync(descriptor, header, 0, minPageBytes, 0);
    const isDatabase =
      bytesRead === minPageBytes && header.toString("latin1", 0, 16) === sqliteMagic;
    return { isDatabase, hasLog: header[18] === 2 };
  } finally {
    closeSync(descriptor);
  }
}
