import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { unreadableFile } from "../contract/unreadable-file.ts";
import { olderLog } from "./log-file.ts";

/** Bytes read at a time. */
const chunkBytes = 64 * 1024;

const newline = 0x0a;

/** The end of the lines read so far. */
export interface LogPosition {
  readonly descriptor: number;
  readonly inode: number;
  readonly offset: number;
}

/** The last lines, newest last, and the position after them. */
export interface LastLines {
  readonly lines: readonly string[];
  /** Undefined before the first log exists. */
  readonly position: LogPosition | undefined;
}

/**
 * Returns the last lines of a log that `isWhole` accepts. Reads backwards from the end, and only as far as
 * needed. A line still being written is left to `followLog`.
 *
 * @param count maximum number of lines
 * @throws SendctlError "usage" for an unreadable file
 */
export function lastLines(
  file: string,
  count: number,
  isWhole: (line: string) => boolean,
): LastLines {
  const descriptor = openForReading(file);
  const found: string[] = [];
  let position: LogPosition | undefined;
  if (descriptor !== undefined) {
    const { ino, size } = fstatSync(descriptor);
    const end = readBackwards(descriptor, size, count, isWhole, found);
    position = { descriptor, inode: ino, offset: end };
  }
  if (found.length < count) {
    const older = openForReading(olderLog(file));
    if (older !== undefined) {
      const { ino, size } = fstatSync(older);
      // The file just read may have been moved aside meanwhile.
      if (ino !== position?.inode) readBackwards(older, size, count, isWhole, found);
      closeSync(older);
    }
  }
  return { lines: found.toReversed(), position };
}

/** Reads lines backwards into `found`. @returns the offset of the end of the last complete line, in bytes */
function readBackwards(
  descriptor: number,
  size: number,
  count: number,
  isWhole: (line: string) => boolean,
  found: string[],
): number {
  let end: number | undefined;
  let rest = Buffer.alloc(0);
  for (let at = size; at > 0;) {
    const length = Math.min(chunkBytes, at);
    at -= length;
    const bytes = Buffer.concat([readAt(descriptor, at, length), rest]);
    let stop = bytes.length;
    for (let lineEnd = bytes.lastIndexOf(newline); lineEnd >= 0;) {
      if (end === undefined) end = at + lineEnd + 1;
      else addLine(bytes.subarray(lineEnd + 1, stop));
      if (found.length >= count) return end;
      stop = lineEnd;
      lineEnd = lineEnd === 0 ? -1 : bytes.lastIndexOf(newline, lineEnd - 1);
    }
    rest = bytes.subarray(0, stop);
  }
  if (end !== undefined && found.length < count) addLine(rest);
  return end ?? 0;

  function addLine(bytes: Buffer): void {
    const line = bytes.toString("utf8");
    if (isWhole(line)) found.push(line);
  }
}

function readAt(descriptor: number, offset: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(descriptor, bytes, 0, length, offset));
}

/** Opens a file, if it exists. @throws SendctlError "usage" for an unreadable file */
function openForReading(file: string): number | undefined {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined) return undefined;
    // Opening a pipe would block.
    if (!found.isFile()) throw Object.assign(new Error("no file"), { code: "not a regular file" });
    return openSync(file, "r");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    throw unreadableFile(`the request log ${file}`, error, file);
  }
}

/** Reads the lines added to a log. */
export interface LogReader {
  /** Returns the complete lines added since the last call. @throws SendctlError "usage" */
  readonly read: () => string[];
  readonly close: () => void;
}

/**
 * Follows a log from a position, and continues with the next file when a full one is moved aside.
 *
 * @param position undefined before the first log exists
 */
export function followLog(file: string, position: LogPosition | undefined): LogReader {
  let current = position === undefined ? undefined : { ...position };
  let rest = Buffer.alloc(0);

  const more = (lines: string[]): void => {
    if (current === undefined) return;
    if (fstatSync(current.descriptor).size < current.offset) {
      // The file was truncated.
      current = { ...current, offset: 0 };
      rest = Buffer.alloc(0);
    }
    for (;;) {
      const bytes = readAt(current.descriptor, current.offset, chunkBytes);
      if (bytes.length === 0) return;
      current = { ...current, offset: current.offset + bytes.length };
      rest = Buffer.concat([rest, bytes]);
      let start = 0;
      for (
        let lineEnd = rest.indexOf(newline);
        lineEnd >= 0;
        lineEnd = rest.indexOf(newline, start)
      ) {
        lines.push(rest.toString("utf8", start, lineEnd));
        start = lineEnd + 1;
      }
      rest = rest.subarray(start);
    }
  };

  return {
    read: () => {
      const lines: string[] = [];
      more(lines);
      const found = statSync(file, { throwIfNoEntry: false });
      if (found === undefined || found.ino === current?.inode) return lines;
      const descriptor = openForReading(file);
      if (descriptor === undefined) return lines;
      if (current !== undefined) {
        // Lines may have been added before the file was moved aside.
        more(lines);
        closeSync(current.descriptor);
      }
      rest = Buffer.alloc(0);
      current = { descriptor, inode: fstatSync(descriptor).ino, offset: 0 };
      more(lines);
      return lines;
    },
    close: () => {
      if (current !== undefined) closeSync(current.descriptor);
      current = undefined;
    },
  };
}
