import {
  close,
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  write,
} from "node:fs";

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

/** Returns all files that belong to a log. */
export function logFiles(file: string): readonly string[] {
  return [file, olderLog(file), lockOf(file)];
}

/** A file of lines to which any number of processes can append concurrently. */
export interface LogFile {
  /** Queues a line, which is written in the next turn of the event loop or, under load, some milliseconds later. */
  readonly add: (line: string) => void;
  /** Resolves when all lines are written or dropped. */
  readonly close: () => Promise<void>;
}

/** Pause after a write, in milliseconds. Lines added meanwhile are written together, at the cost of one. */
const batchInterval = 20;

/** Lines buffered while the disk does not respond; further ones are dropped. */
const maxQueuedLines = 100_000;

/** How long lines are dropped after a failure, in milliseconds, so that a full disk is not retried constantly. */
const retryDelay = 1000;

/** Age of a stale lock, in milliseconds. A rename takes less than one, so the process with the lock has ended. */
const staleAfter = 10_000;

const newline = 0x0a;

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
  let opened: { readonly descriptor: number; readonly inode: number } | undefined;
  let writing: Promise<void> | undefined;
  let hasReported = false;
  /** Monotonic time in milliseconds. */
  let pausedUntil = -Infinity;
  /** Whether the file may end in a partial line. */
  let hasPartialLine = false;
  let isClosing = false;
  /** Ends the pause after a write. */
  let endWait: (() => void) | undefined;

  const fail = (error: unknown): void => {
    pausedUntil = performance.now() + retryDelay;
    if (opened !== undefined) close(opened.descriptor, () => {});
    opened = undefined;
    if (!hasReported) failed(error as NodeJS.ErrnoException);
    hasReported = true;
  };

  /** Returns the descriptor of the current file; another process may have moved the last one aside. */
  const current = (): number => {
    const found = statSync(file, { throwIfNoEntry: false });
    if (opened !== undefined && found?.ino === opened.inode) {
      if (found.size < maxBytes || !moveAside(file, opened.inode)) return opened.descriptor;
    }
    if (opened !== undefined) close(opened.descriptor, () => {});
    opened = undefined;
    opened = openLog(file);
    hasPartialLine = endsInPartialLine(opened.descriptor);
    return opened.descriptor;
  };

  const writeAll = async (): Promise<void> => {
    while (lines.length > 0) {
      const batch = lines;
      lines = [];
      if (performance.now() >= pausedUntil) {
        try {
          const descriptor = current();
          const text = `${hasPartialLine ? "\n" : ""}${batch.join("\n")}\n`;
          await append(descriptor, Buffer.from(text));
          hasPartialLine = false;
        } catch (error) {
          fail(error);
        }
      }
      if (!isClosing) await gather();
    }
    writing = undefined;
  };

  const gather = (): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, batchInterval);
      endWait = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  return {
    add: (line) => {
      if (lines.length < maxQueuedLines) lines.push(line);
      writing ??= new Promise((resolve) => setImmediate(() => resolve(writeAll())));
    },
    close: async () => {
      isClosing = true;
      endWait?.();
      await writing;
      if (opened !== undefined) closeSync(opened.descriptor);
      opened = undefined;
    },
  };
}

/** Opens a regular file. Symbolic links and pipes are refused. */
function openLog(file: string): { readonly descriptor: number; readonly inode: number } {
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
  const flags = O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK;
  const descriptor = openSync(file, flags, 0o600);
  const found = fstatSync(descriptor);
  if (found.isFile()) return { descriptor, inode: found.ino };
  closeSync(descriptor);
  throw Object.assign(new Error("not a regular file"), { code: "EINVAL" });
}

/** Returns whether a process was killed while writing a line. */
function endsInPartialLine(descriptor: number): boolean {
  const { size } = fstatSync(descriptor);
  const last = Buffer.alloc(1);
  return size > 0 && readSync(descriptor, last, 0, 1, size - 1) === 1 && last[0] !== newline;
}

/** Appends with one system call. If the disk accepts only a part, the rest is dropped. */
function append(descriptor: number, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    write(descriptor, bytes, 0, bytes.length, null, (error, written) => {
      if (error !== null) reject(error);
      else if (written === bytes.length) resolve();
      else reject(Object.assign(new Error("the disk is full"), { code: "ENOSPC" }));
    });
  });
}

/**
 * Moves a full log aside, unless another process is doing so. Without the lock, a second process would
 * overwrite the full log with the new one.
 *
 * @returns false if the file was not moved
 */
function moveAside(file: string, inode: number): boolean {
  const lock = lockOf(file);
  try {
    closeSync(openSync(lock, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    const found = statSync(lock, { throwIfNoEntry: false });
    // After the clock was set back, the lock may be dated in the future.
    const age = found === undefined ? 0 : Math.abs(Date.now() - found.mtimeMs);
    if (age > staleAfter) rmSync(lock, { force: true });
    return false;
  }
  try {
    if (statSync(file, { throwIfNoEntry: false })?.ino === inode) renameSync(file, olderLog(file));
    return true;
  } finally {
    rmSync(lock, { force: true });
  }
}
