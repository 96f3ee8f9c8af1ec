import { closeSync, openSync, readSync, statSync } from "node:fs";
import { SendctlError } from "../../../contract/error.ts";
import { markOf, type Mark } from "./mark.ts";
import { isOpenHere } from "./open-file.ts";

/** In bytes. */
const headerBytes = 32;
const frameHeaderBytes = 24;

/** Frames that are read at a time. */
const framesAtOnce = 64;

/** The clock is the first table that is created, so it is on the page after the schema. */
const clockPage = 2;

/** How often to look again while other processes write. */
const attempts = 5;

/**
 * Keeps SQLite from applying the write-ahead log of one database to another that has taken its name: SQLite
 * checks whether a log is whole, not which database it belongs to.
 *
 * @throws SendctlError "database" where the log beside the file belongs to another database
 */
export function refuseForeignLog(file: string): void {
  if (!isForeignLog(file)) return;
  const what = `was replaced while its write-ahead log stayed: ${file}-wal belongs to another database`;
  throw new SendctlError("database", `the database ${file} ${what}`, {
    hint: "move the files that end in -wal and -shm away, or put the former database back",
    file,
    database: "damaged",
  });
}

/**
 * Whether the log beside a database was written for another one. Every transaction counts the clock's turn
 * up by one. So the turn in the file is either the one before the first in the log, or one of those in the
 * log, of which a checkpoint has copied some. Without marks, as before version 4, nothing can be said.
 *
 * Examines nothing while this process has the file open: closing it would give up the locks of SQLite.
 */
export function isForeignLog(file: string): boolean {
  const log = `${file}-wal`;
  if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) <= headerBytes) return false;
  if (isOpenHere(file)) return false;
  let differed = 0;
  for (let attempt = 0; attempt < attempts && differed < 2; attempt += 1) {
    const found = compare(file, log);
    if (found === "fits") return false;
    if (found === "differs") differed += 1;
  }
  return differed === 2;
}

/** Compares a file with a log. "changed" where the log was begun again meanwhile. */
function compare(file: string, log: string): "fits" | "differs" | "changed" {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(log, "r");
    const header = readAt(descriptor, 0, headerBytes);
    const pageSize = header.readUInt32BE(8);
    // The last bit of the magic number is the byte order of the checksums. SQLite ignores any other log.
    if (header.readUInt32BE(0) >>> 1 !== 0x377f0682 >>> 1 || pageSize < 512) return "fits";
    // Before the log: what a checkpoint copies to the file has been in the log by then.
    const mark = markOfFile(file, pageSize);
    if (mark === "empty" || fits(mark, marksOfLog(descriptor, header, pageSize))) return "fits";
    return readAt(descriptor, 0, headerBytes).equals(header) ? "differs" : "changed";
  } catch (error) {
    // SQLite reports what cannot be read.
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
    // A database without a mark gets its first one in turn 0.
    const isNext =
      file === undefined
        ? mark!.turn === 0
        : mark?.database === file.database && mark.turn === file.turn + 1;
    if (isFirst && isNext) return true;
    isFirst = false;
  }
  // A log in which no transaction has changed the clock.
  return isFirst;
}

/** The mark in the file itself, whatever the log says; "empty" where it has no page of a clock. */
function markOfFile(file: string, pageSize: number): Mark | undefined | "empty" {
  const descriptor = openSync(file, "r");
  try {
    const page = readAt(descriptor, (clockPage - 1) * pageSize, pageSize);
    return page.length < pageSize ? "empty" : markOf(page);
  } finally {
    closeSync(descriptor);
  }
}

/** The marks in a log in their order, of the frames that are newer than its header. */
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

/** Fewer bytes than asked for at the end of the file. */
function readAt(descriptor: number, offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  return bytes.subarray(0, readSync(descriptor, bytes, 0, length, offset));
}
