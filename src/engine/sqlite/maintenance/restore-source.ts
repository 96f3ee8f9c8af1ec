import { closeSync, copyFileSync, existsSync, openSync, readSync, statSync } from "node:fs";
import { SendctlError } from "../../../contract/error.ts";
import { connect } from "../connection/connect.ts";
import { isOf } from "./backup.ts";
import { copySnapshot, type Copying } from "./copy-file.ts";
import { damaged, databaseError, unusable } from "../connection/database-error.ts";
import { logSize, smallestPage, stepsBehind, type Database } from "../connection/open.ts";

/** @throws SendctlError "usage" for a file that can't be a backup of this database, by what it is */
export function refuseSource(file: string, source: string): void {
  const refuse = (meaning: string, cause?: unknown): SendctlError =>
    new SendctlError("usage", `${source} ${meaning}`, { cause });
  try {
    const found = statSync(source, { throwIfNoEntry: false });
    if (found === undefined) throw refuse("is not there: name another file");
    if (found.isDirectory()) throw refuse("is a folder: name a file");
    if (!found.isFile()) throw refuse("is no file: name another");
    if (isOf(file, source)) throw refuse("is the database itself: name another file");
    // Read it is all that is done with it.
    closeSync(openSync(source, "r"));
  } catch (error) {
    if (error instanceof SendctlError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw refuse(`can't be read (${code}): name another file, or make it readable for you`, error);
  }
}

const notOne = "is not a database: nothing was restored, name another file";

/**
 * Copies a file, which may be in use, and leaves nothing beside it: of a database with a write-ahead log
 * that nobody uses SQLite would make one, even to read it.
 */
export async function copySource(
  source: string,
  copy: string,
  patience: number,
  copying: Copying,
): Promise<void> {
  const header = headerOf(source);
  if (!header.isDatabase) throw unusable(source, notOne);
  if (header.hasLog && logSize(source) === 0 && !existsSync(`${source}-shm`)) {
    copyFileSync(source, copy);
    if (logSize(source) === 0) return;
  }
  const options = { readonly: true, fileMustExist: true, timeout: patience };
  let reader: Database | undefined;
  try {
    const opened = (reader = connect(source, options));
    opened.transaction(() => stepsBehind(opened, source)).deferred();
    await copySnapshot(opened, copy, copying);
  } catch (error) {
    const { code = "" } = error as { code?: string };
    // What can't be written is the copy, beside the database.
    if (/^SQLITE_(FULL|IOERR)/.test(code)) throw databaseError(error, copy);
    const failure = databaseError(error, source);
    if (failure instanceof SendctlError && failure.message.endsWith(damaged)) {
      const meaning = "is damaged or cut short: nothing was restored, name another file";
      throw unusable(source, meaning, error);
    }
    throw failure;
  } finally {
    reader?.close();
  }
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
