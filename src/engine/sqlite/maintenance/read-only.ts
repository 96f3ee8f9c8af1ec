import { accessSync, constants, existsSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { connect, defaultTimeout, refuseForeignLog } from "../connection/connect.ts";
import { checkFile, logSize, type Database } from "../connection/open.ts";

/** A database that is open for reading only. */
export interface ReadOnlyDatabase {
  readonly database: Database;
  /** The mode of the file, even if the database is a copy of it in memory. */
  readonly journalMode: string;
}

interface ReadOptions {
  /** How long to wait for other processes, in milliseconds (default: 10 seconds). */
  readonly timeout?: number | undefined;
  /** Maximum size of a file to read into memory, in bytes. */
  readonly maxBytes?: number;
}

/** Maximum size of a file that is read into memory as a whole, in bytes. */
const maxImageBytes = 256 * 1024 * 1024;

/**
 * Opens a database for reading, while other processes may use it. If none does, it is read from a
 * copy in memory, because SQLite creates two files beside a database even for a reader.
 *
 * Do not call it while this process has the file open: closing a file releases all locks that
 * SQLite holds on it in this process.
 *
 * @returns undefined if it cannot be read without creating a file
 * @throws the error of SQLite or of the file system if it cannot be opened
 */
export function openReadOnly(
  file: string,
  { timeout, maxBytes = maxImageBytes }: ReadOptions = {},
): ReadOnlyDatabase | undefined {
  checkFile(file);
  refuseForeignLog(file);
  // SQLite creates the write-ahead log in this folder.
  accessSync(dirname(file), constants.W_OK | constants.X_OK);
  const { size } = statSync(file);
  if (isShared(file)) return openShared(file, timeout);
  if (logSize(file) > 0 || size > maxBytes) return undefined;
  const { image, journalMode } = imageOf(file);
  // Another process has begun to use it, so the image may mix two states.
  if (logSize(file) > 0) return openReadOnly(file, { timeout, maxBytes });
  // A database without any migration is an empty file.
  const source = image.length === 0 ? ":memory:" : image;
  return { database: connect(source), journalMode };
}

/** Size in bytes above which opening a file is faster than reading it. */
const smallImageBytes = 16 * 1024 * 1024;

/**
 * Opens any database for reading. A large file that no process uses is opened the way commands open
 * it, which applies a leftover log.
 */
export function openAnyReadOnly(file: string): ReadOnlyDatabase {
  return openReadOnly(file, { maxBytes: smallImageBytes }) ?? openInPlace(file);
}

/** Opens the file itself, for a copy that needs a stable snapshot while other processes write. */
export function openInPlace(file: string): ReadOnlyDatabase {
  checkFile(file);
  return isShared(file) ? openShared(file) : asReadOnly(connect(file, { fileMustExist: true }));
}

/**
 * Returns whether the files that SQLite creates while a database is open exist: a process has it
 * open, or was killed.
 */
function isShared(file: string): boolean {
  return existsSync(`${file}-wal`) && existsSync(`${file}-shm`);
}

function openShared(file: string, timeout = defaultTimeout): ReadOnlyDatabase {
  const options = { readonly: true, fileMustExist: true, timeout };
  return asReadOnly(connect(file, options));
}

function asReadOnly(database: Database): ReadOnlyDatabase {
  try {
    database.pragma("query_only = ON");
    return { database, journalMode: String(database.pragma("journal_mode", { simple: true })) };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Reads the file, marked as not having a write-ahead log, because in memory it has none. */
export function imageOf(file: string): { readonly image: Buffer; readonly journalMode: string } {
  const image = readFileSync(file);
  const [writing, reading] = [18, 19];
  const hasLog = image[writing] === 2;
  if (hasLog) image[writing] = 1;
  if (image[reading] === 2) image[reading] = 1;
  return { image, journalMode: hasLog ? "wal" : "delete" };
}
