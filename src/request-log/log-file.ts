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

/** In bytes. What is older than the last two files of this size is gone. */
const maxLogBytes = 8 * 1024 * 1024;

/** Of a log, the one that it was before it was full. */
export function olderLog(file: string): string {
  return `${file}.1`;
}

/** Held while a full log is moved aside. */
function lockOf(file: string): string {
  return `${file}.lock`;
}

/** All that may be written for a log. */
export function logFiles(file: string): readonly string[] {
  return [file, olderLog(file), lockOf(file)];
}

/** A file of lines, to which any number of processes add at once. */
export interface LogFile {
  /** Adds a line, soon: in a turn of the event loop or, where there are many, some milliseconds. */
  readonly add: (line: string) => void;
  /** Fulfilled when all lines are written, or lost. */
  readonly close: () => Promise<void>;
}

/** In milliseconds, after a write: what is added meanwhile is written together, which costs as much as one line. */
const batchInterval = 20;

/** Lines that a disk which does not answer may keep waiting. */
const maxQueuedLines = 100_000;

/** After a failure lines are dropped for so long, in milliseconds: a full disk is not asked at every turn. */
const retryDelay = 1000;

/** In milliseconds. A log is renamed in less than one; who holds the lock for so long has been ended. */
const staleAfter = 10_000;

const newline = 0x0a;

/**
 * Opened, 0600, with the first line. Each write is one system call that appends, so that lines of several
 * processes stay whole. Never throws: what can't be written is dropped.
 *
 * @param failed told once that lines are lost
 * @param maxBytes in bytes: beyond it the file is moved aside, in the position of the one before it
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
  /** By a clock that is never set back. */
  let pausedUntil = -Infinity;
  /** Half a line may stand at the end. */
  let hasPartialLine = false;
  let isClosing = false;
  /** Ends what waits for more lines. */
  let endWait: (() => void) | undefined;

  const fail = (error: unknown): void => {
    pausedUntil = performance.now() + retryDelay;
    if (opened !== undefined) close(opened.descriptor, () => {});
    opened = undefined;
    if (!hasReported) failed(error as NodeJS.ErrnoException);
    hasReported = true;
  };

  /** The file that has the name now: another process may have moved the last one aside. */
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

/** Nothing but a file of this user's own making, or one that is like it: no link, and no pipe. */
function openLog(file: string): { readonly descriptor: number; readonly inode: number } {
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
  const flags = O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK;
  const descriptor = openSync(file, flags, 0o600);
  const found = fstatSync(descriptor);
  if (found.isFile()) return { descriptor, inode: found.ino };
  closeSync(descriptor);
  throw Object.assign(new Error("it is not a file"), { code: "EINVAL" });
}

/** A process that ended while it wrote may have left half a line. */
function endsInPartialLine(descriptor: number): boolean {
  const { size } = fstatSync(descriptor);
  const last = Buffer.alloc(1);
  return size > 0 && readSync(descriptor, last, 0, 1, size - 1) === 1 && last[0] !== newline;
}

/** One system call. Where the disk takes a part only, the retryDelay is lost. */
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
 * Moves a full log aside, if no other process does: of two that did so one after the other, the second
 * would put a new log in the position of the full one.
 *
 * @returns false where the file still has its name
 */
function moveAside(file: string, inode: number): boolean {
  const lock = lockOf(file);
  try {
    closeSync(openSync(lock, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    const found = statSync(lock, { throwIfNoEntry: false });
    // A clock that was set back makes it of the future.
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
