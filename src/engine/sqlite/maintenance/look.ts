import { accessSync, constants, existsSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { connect } from "../connection/connect.ts";
import { refuseForeignLog } from "../connection/log-origin.ts";
import { checkFile, logSize, type Database } from "../connection/open.ts";

/** A database that is only looked at: what is in it is not changed. */
export interface Look {
  readonly database: Database;
  /** Of the file; what is looked at may be an image of it. */
  readonly journalMode: string;
}

/** In bytes: what is larger is not read into memory as a whole. */
const largestImage = 256 * 1024 * 1024;

/**
 * Opens a database to look at it, while others may use it. Where nobody does, what is looked at is an
 * image of it in memory: SQLite would make two files beside it, even for who only reads.
 *
 * Not while this process has the file open otherwise: closing a file gives up every lock on it that SQLite
 * holds in this process.
 *
 * @param timeout how long to wait for others, in milliseconds
 * @param largest what is larger, in bytes, is not read into memory
 * @returns undefined where it can't be looked at without a file being made
 * @throws the error of SQLite or of the file system where it can't be opened
 */
export function lookAt(file: string, timeout: number, largest = largestImage): Look | undefined {
  checkFile(file);
  refuseForeignLog(file);
  // The write-ahead log is made beside it.
  accessSync(dirname(file), constants.W_OK | constants.X_OK);
  const { size } = statSync(file);
  if (isShared(file)) return lookTogether(file, timeout);
  if (logSize(file) > 0 || size > largest) return undefined;
  const { image, journalMode } = imageOf(file);
  // Somebody has begun to use it meanwhile: what was read may be of two states.
  if (logSize(file) > 0) return lookAt(file, timeout, largest);
  // An empty file is what a database is before its first step.
  const source = image.length === 0 ? ":memory:" : image;
  return { database: connect(source), journalMode };
}

/** In bytes: what is larger is opened sooner than it is read. */
const smallImage = 16 * 1024 * 1024;

/**
 * The same, whatever there is: a large file that nobody uses is opened as commands open it, and takes in a
 * log that somebody has left behind.
 */
export function lookAtAny(file: string, timeout: number): Look {
  return lookAt(file, timeout, smallImage) ?? lookInPlace(file, timeout);
}

/** The file itself, for who copies it: what was read stays what it was, whoever writes. */
export function lookInPlace(file: string, timeout: number): Look {
  checkFile(file);
  if (isShared(file)) return lookTogether(file, timeout);
  const options = { fileMustExist: true, timeout };
  return described(connect(file, options));
}

/** Others have it open, or were ended in the middle: the files that SQLite makes are there. */
function isShared(file: string): boolean {
  return existsSync(`${file}-wal`) && existsSync(`${file}-shm`);
}

function lookTogether(file: string, timeout: number): Look {
  const options = { readonly: true, fileMustExist: true, timeout };
  return described(connect(file, options));
}

function described(database: Database): Look {
  try {
    database.pragma("query_only = ON");
    return { database, journalMode: String(database.pragma("journal_mode", { simple: true })) };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** The file, marked as one without a write-ahead log: there is none in memory. */
function imageOf(file: string): { readonly image: Buffer; readonly journalMode: string } {
  const image = readFileSync(file);
  const [writing, reading] = [18, 19];
  const hasLog = image[writing] === 2;
  if (hasLog) image[writing] = 1;
  if (image[reading] === 2) image[reading] = 1;
  return { image, journalMode: hasLog ? "wal" : "delete" };
}
