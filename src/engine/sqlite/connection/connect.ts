import Sqlite from "better-sqlite3-driver";
import type { Database, Options } from "better-sqlite3";
import { loadAddon } from "./driver.ts";
import { closeSync, openSync, readSync, realpathSync, statSync } from "node:fs";
import { SendctlError } from "../../../core/error.ts";
import { markOf, type Mark } from "./mark.ts";

/** How long to wait for locks of other processes, in milliseconds. */
export const defaultTimeout = 10_000;

/**
 * Opens a connection.
 *
 * @throws the error of SQLite; SendctlError "database" if the log beside the file belongs to
 *   another database
 */
export function connect(source: string | Buffer, options: Options = {}): Database {
  if (typeof source !== "string" || source === ":memory:") return open(source, options);
  refuseForeignLog(source);
  const before = identify(source);
  const database = open(source, options);
  const identity = identify(source);
  // The open file is known for certain only if the path led to the same file before and after.
  if (identity === undefined || (before !== undefined && !isSame(before, identity))) {
    database.close();
    return connect(source, options);
  }
  remember(database, identity);
  return database;
}

function open(source: string | Buffer, options: Options): Database {
  return new Sqlite(source, {
    timeout: defaultTimeout,
    ...options,
    nativeBinding: loadAddon(),
  } as object);
}

/** Identifies a file regardless of its name. On Windows, the numbers exceed what a double holds exactly. */
interface Identity {
  readonly dev: bigint;
  readonly ino: bigint;
}

/**
 * The files that a connection has open. They are compared by identity, because the name of a
 * removed file can be reused.
 */
interface OpenFiles {
  readonly database: Identity;
  /** The write-ahead log and its index, by path, once `watchLog` has found them. */
  readonly logFiles: Map<string, Identity>;
}

/** The open connections of this process. */
const opened = new Map<Database, OpenFiles>();

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

/** Returns whether a connection of this process has the file open. */
function isOpenInProcess(file: string): boolean {
  const found = identify(file);
  return (
    found !== undefined && [...opened.values()].some(({ database }) => isSame(database, found))
  );
}

/** Records which file a connection has open, until the connection is closed. */
function remember(database: Database, identity: Identity): void {
  opened.set(database, { database: identity, logFiles: new Map() });
  const close = database.close.bind(database);
  database.close = () => {
    const closed = close();
    opened.delete(database);
    return closed;
  };
}

/** Records the files that SQLite creates beside a database while it is open in write-ahead mode. */
export function watchLog(database: Database, file: string): void {
  const files = opened.get(database);
  if (files === undefined) return;
  // SQLite creates the log at the first read, not when the mode is set.
  database.pragma("user_version");
  const real = realpathSync(file);
  for (const ending of ["-wal", "-shm"]) {
    const path = `${real}${ending}`;
    const found = identify(path);
    if (found !== undefined) files.logFiles.set(path, found);
  }
}

/**
 * Checks that the path of an open database still leads to the open file, and its log to the open log: SQLite keeps writing
 * to a removed file, and all of those writes are lost.
 *
 * @throws SendctlError "database" if the file or its log was removed or replaced
 */
export function refuseReplaced(database: Database, file: string): void {
  const change = changeOf(database, file);
  if (change === undefined) return;
  const hint = "move it back, or restart every sendctl process that has the database open";
  throw new SendctlError("database", change, { hint, file, database: "replaced" });
}

/**
 * Checks the same after a commit, which may be lost or not: the log may have been moved into the file before.
 *
 * @throws SendctlError "outcome_unknown"
 */
export function refuseLost(database: Database, file: string): void {
  const change = changeOf(database, file);
  if (change === undefined) return;
  const hint = "list the records before you retry";
  throw new SendctlError("outcome_unknown", `${change}; the write may have succeeded`, { hint });
}

/** Returns what became of the files of an open database; undefined if they are still its files. */
export function changeOf(database: Database, file: string): string | undefined {
  const files = opened.get(database);
  if (files === undefined) return undefined;
  for (const [path, identity] of [[file, files.database] as const, ...files.logFiles]) {
    const found = identify(path);
    if (isSame(found, identity)) continue;
    const change = `was ${found === undefined ? "removed" : "replaced"} while it was open`;
    const problem = path === file ? change : `cannot be written: ${path} ${change}`;
    return `the database ${file} ${problem}`;
  }
  return undefined;
}

/** Sizes in the write-ahead log, in bytes. */
const headerBytes = 32;
const frameHeaderBytes = 24;

/** Number of frames read at a time. */
const framesAtOnce = 64;

/** The clock is the first table that is created, so it is on the page after the schema. */
const clockPage = 2;

/** Number of comparisons to try while other processes write. */
const attempts = 5;

/**
 * Prevents SQLite from applying the write-ahead log of one database to another that has taken its
 * name: SQLite checks whether a log is intact, not which database it belongs to.
 *
 * @throws SendctlError "database" if the log beside the file belongs to another database
 */
function refuseForeignLog(file: string): void {
  if (!isForeignLog(file)) return;
  const problem = `was replaced without its write-ahead log: ${file}-wal belongs to another database`;
  throw new SendctlError("database", `the database ${file} ${problem}`, {
    hint: "move the files that end in -wal and -shm away, or restore the previous database",
    file,
    database: "damaged",
  });
}

/**
 * Returns whether the log beside a database was written for another one. Every transaction
 * increments the clock's turn. So the turn in the file is either the one before the first in the
 * log, or one of those in the log, some of which a checkpoint has copied.
 *
 * Checks nothing while this process has the file open: closing the file would release SQLite's
 * locks.
 */
export function isForeignLog(file: string): boolean {
  const log = `${file}-wal`;
  if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) <= headerBytes) return false;
  if (isOpenInProcess(file)) return false;
  let differed = 0;
  for (let attempt = 0; attempt < attempts && differed < 2; attempt += 1) {
    const found = compare(file, log);
    if (found === "fits") return false;
    if (found === "differs") differed += 1;
  }
  return differed === 2;
}

/** Compares a file with a log. Returns "changed" if the log was restarted meanwhile. */
function compare(file: string, log: string): "fits" | "differs" | "changed" {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(log, "r");
    const header = readAt(descriptor, 0, headerBytes);
    const pageSize = header.readUInt32BE(8);
    // The last bit of the magic number is the byte order of the checksums. SQLite ignores any other
    // log.
    if (header.readUInt32BE(0) >>> 1 !== 0x377f0682 >>> 1 || pageSize < 512) return "fits";
    // Read the file before the log: everything that a checkpoint copies to the file is in the log
    // by then.
    const mark = markOfFile(file, pageSize);
    if (mark === "empty" || fits(mark, marksOfLog(descriptor, header, pageSize))) return "fits";
    return readAt(descriptor, 0, headerBytes).equals(header) ? "differs" : "changed";
  } catch (error) {
    // SQLite reports files that cannot be read.
    if ((error as NodeJS.ErrnoException).code !== undefined) return "fits";
    throw error;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function fits(file: Mark | undefined, log: Iterable<Mark | undefined>): boolean {
  let isFirst = true;
  for (const mark of log) {
    if (mark?.database === file?.database && mark?.turn === file?.turn) return true;
    const isOfFile = file !== undefined && mark?.database === file.database;
    if (isFirst && isOfFile && mark.turn === file.turn + 1) return true;
    isFirst = false;
  }
  // True for a log in which no transaction has changed the clock.
  return isFirst;
}

/**
 * Returns the mark in the file itself, regardless of the log; "empty" if the file has no clock
 * page.
 */
function markOfFile(file: string, pageSize: number): Mark | undefined | "empty" {
  const descriptor = openSync(file, "r");
  try {
    const page = readAt(descriptor, (clockPage - 1) * pageSize, pageSize);
    return page.length < pageSize ? "empty" : markOf(page);
  } finally {
    closeSync(descriptor);
  }
}

/** Yields the marks of a log in order, from the frames that are newer than its header. */
function* marksOfLog(log: number, header: Buffer, pageSize: number): Iterable<Mark | undefined> {
  const salts = header.subarray(16, 24);
  const frameBytes = frameHeaderBytes + pageSize;
  for (let offset = headerBytes; ; offset += framesAtOnce * frameBytes) {
    const frames = readAt(log, offset, framesAtOnce * frameBytes);
    for (let at = 0; at + frameBytes <= frames.length; at += frameBytes) {
      if (!frames.subarray(at + 8, at + 16).equals(salts)) return;
      if (frames.readUInt32BE(at) !== clockPage) continue;
      yield markOf(frames.subarray(at + frameHeaderBytes, at + frameBytes));
    }
    if (frames.length < framesAtOnce * frameBytes) return;
  }
}

/** Reads up to `length` bytes; returns fewer at the end of the file. */
function readAt(descriptor: number, offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  return bytes.subarray(0, readSync(descriptor, bytes, 0, length, offset));
}
