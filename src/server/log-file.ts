import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { unreadableFile } from "../core/files.ts";

/** Maximum size of a log in bytes. Only the current file and the one before it are retained. */
const maxLogBytes = 8 * 1024 * 1024;

/** Returns the file to which a full log is moved. */
export function olderLog(file: string): string {
  return `${file}.1`;
}

/** Returns the lock file used while a full log is moved aside. */
function lockOf(file: string): string {
  return `${file}.lock`;
}

/** A file of lines to which any number of processes can append concurrently. */
export interface LogFile {
  /** Queues a line, which is written some milliseconds later. */
  readonly add: (line: string) => void;
  /** Writes the queued lines and closes the file. */
  readonly close: () => void;
}

/** Milliseconds in which lines are gathered, because many are written at the cost of one. */
const batchInterval = 20;

/** Age of a stale lock, in milliseconds. A rename takes less than one, so the process with the lock has ended. */
const staleAfter = 10_000;

/**
 * Opens a log file, mode 0600, at the first line. Each write is one appending system call, so that lines of
 * several processes are not interleaved. Never throws: lines that cannot be written are dropped.
 *
 * @param failed called with the first error
 * @param maxBytes size in bytes at which the file is moved aside, replacing the one before it
 */
export function openLogFile(
  file: string,
  failed: (error: NodeJS.ErrnoException) => void,
  maxBytes = maxLogBytes,
): LogFile {
  let lines: string[] = [];
  let timer: NodeJS.Timeout | undefined;
  let descriptor: number | undefined;
  let hasReported = false;

  const closeFile = (): void => {
    if (descriptor !== undefined) closeSync(descriptor);
    descriptor = undefined;
  };

  /** Returns the current file; another process may have moved the last one aside. */
  const current = (): number => {
    if (descriptor !== undefined) {
      const { ino, size } = fstatSync(descriptor);
      const found = statSync(file, { throwIfNoEntry: false });
      if (found?.ino === ino && size < maxBytes) return descriptor;
      if (found?.ino === ino) moveAside(file, ino);
      closeFile();
    }
    return (descriptor = openLog(file));
  };

  const flush = (): void => {
    timer = undefined;
    const bytes = Buffer.from(`${lines.join("\n")}\n`);
    lines = [];
    try {
      if (writeSync(current(), bytes) < bytes.length) {
        throw Object.assign(new Error("the disk is full"), { code: "ENOSPC" });
      }
    } catch (error) {
      closeFile();
      if (!hasReported) failed(error as NodeJS.ErrnoException);
      hasReported = true;
    }
  };

  return {
    add: (line) => {
      lines.push(line);
      timer ??= setTimeout(flush, batchInterval);
    },
    close: () => {
      clearTimeout(timer);
      if (timer !== undefined) flush();
      closeFile();
    },
  };
}

/** Opens a regular file. Symbolic links and pipes are refused. */
function openLog(file: string): number {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
  const flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK;
  const descriptor = openSync(file, flags, 0o600);
  if (fstatSync(descriptor).isFile()) return descriptor;
  closeSync(descriptor);
  throw Object.assign(new Error("not a regular file"), { code: "EINVAL" });
}

/**
 * Moves a full log aside, unless another process is doing so. Without the lock, a second process would overwrite the
 * full log with the new one.
 */
function moveAside(file: string, inode: number): void {
  const lock = lockOf(file);
  try {
    closeSync(openSync(lock, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    const found = statSync(lock, { throwIfNoEntry: false });
    // After the clock was set back, the lock may be dated in the future.
    const age = found === undefined ? 0 : Math.abs(Date.now() - found.mtimeMs);
    if (age > staleAfter) rmSync(lock, { force: true });
    return;
  }
  try {
    if (statSync(file, { throwIfNoEntry: false })?.ino === inode) renameSync(file, olderLog(file));
  } finally {
    rmSync(lock, { force: true });
  }
}

/** Bytes read at a time. */
const chunkBytes = 64 * 1024;

const newline = 0x0a;

/** Reads the lines of a log. */
export interface LogReader {
  /** Whether the log exists. */
  readonly exists: boolean;
  /** The complete lines of both files when the reader was opened, newest last. */
  readonly lines: readonly string[];
  /** Returns the complete lines added since the last call. @throws SendctlError "usage" */
  readonly added: () => string[];
  readonly close: () => void;
}

/**
 * Opens a log, which serve keeps below 16 MiB. Continues with the next file when a full one is moved aside.
 *
 * @throws SendctlError "usage" for an unreadable file
 */
export function openLogReader(file: string): LogReader {
  const lines: string[] = [];
  let current = openLines(file);
  const older = openLines(olderLog(file));
  // The current file may have been moved aside meanwhile.
  if (older !== undefined && older.inode !== current?.inode) older.read(lines);
  older?.close();
  current?.read(lines);
  return {
    exists: (current ?? older) !== undefined,
    lines,
    added: () => {
      const added: string[] = [];
      // Before the lines are read: what is added to a file before it is moved aside must be among them.
      const found = statSync(file, { throwIfNoEntry: false });
      current?.read(added);
      if (found === undefined || found.ino === current?.inode) return added;
      const next = openLines(file);
      if (next === undefined) return added;
      current?.close();
      current = next;
      current.read(added);
      return added;
    },
    close: () => current?.close(),
  };
}

/** One file of a log. */
interface Lines {
  readonly inode: number;
  /** Appends the complete lines that were not read yet. A line that is still being written waits for its end. */
  readonly read: (lines: string[]) => void;
  readonly close: () => void;
}

function openLines(file: string): Lines | undefined {
  const descriptor = openForReading(file);
  if (descriptor === undefined) return undefined;
  const chunk = Buffer.alloc(chunkBytes);
  let offset = 0;
  let partial: Buffer[] = [];
  return {
    inode: fstatSync(descriptor).ino,
    read: (lines) => {
      // The file was truncated.
      if (fstatSync(descriptor).size < offset) [offset, partial] = [0, []];
      for (;;) {
        const length = readSync(descriptor, chunk, 0, chunkBytes, offset);
        if (length === 0) return;
        offset += length;
        const bytes = chunk.subarray(0, length);
        let start = 0;
        for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, start)) {
          lines.push(Buffer.concat([...partial, bytes.subarray(start, end)]).toString("utf8"));
          partial = [];
          start = end + 1;
        }
        if (start < length) partial.push(Buffer.from(bytes.subarray(start)));
      }
    },
    close: () => closeSync(descriptor),
  };
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
