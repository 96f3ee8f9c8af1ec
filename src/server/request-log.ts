import { safeText } from "../core/text.ts";
import type { DatabaseProblem } from "../core/error.ts";
import type { OperationName } from "../contract/operations.ts";
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  writeSync,
} from "node:fs";
import { unreadableFile } from "../core/files.ts";
import { openToAppend, refuseDatabase } from "../core/own-file.ts";

export interface RequestLogOptions {
  /** Prints lines for the operator, too. */
  readonly print?: ((lines: string) => Promise<void>) | undefined;
  /** Whether the printed lines are for a reader; otherwise they are JSON. */
  readonly isReadable: boolean;
  /** Called with each new problem of the database, and once if the file cannot be written. */
  readonly warn: (text: string) => void;
  /** Size in bytes at which the file is moved aside, replacing the last one (default: 8 MiB). */
  readonly maxBytes?: number;
}

/** Milliseconds in which lines are gathered, because many are written at the cost of one. */
const batchInterval = 20;

/**
 * Logs each request in a file, mode 0600, and, if requested, for the operator. Appends by single
 * system calls: lines of several processes do not mix. Never throws: drops what it cannot write.
 */
export function openRequestLog(file: string, options: RequestLogOptions) {
  const { print, isReadable, warn, maxBytes = 8 * 1024 * 1024 } = options;
  let entries: RequestLogEntry[] = [];
  let timer: NodeJS.Timeout | undefined;
  let hasFailed = false;
  let warned: string | undefined;
  let printed = Promise.resolve();
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (entries.length === 0) return;
    const lines = entries.map((entry) => JSON.stringify(entry));
    const shown = isReadable ? entries.map(readable) : lines;
    entries = [];
    if (print !== undefined) printed = printed.then(() => print(shown.join("\n")));
    try {
      moveAsideIfFull(file, maxBytes);
      append(file, Buffer.from(`${lines.join("\n")}\n`));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const warning = `cannot log requests to ${file} (${code}); \`sendctl local log\` will lack them`;
      if (!hasFailed) warn(warning);
      hasFailed = true;
    }
  };
  return {
    /** Logs a request. @param problem why the database failed: a warning, not repeated each time */
    served: (entry: RequestLogEntry, problem?: string): void => {
      if (problem !== undefined && problem !== warned) warn(problem);
      warned = problem ?? warned;
      entries.push(entry);
      timer ??= setTimeout(flush, batchInterval);
    },
    /** Writes what is left. Resolves when all lines are printed. */
    close: async (): Promise<void> => {
      flush();
      await printed;
    },
  };
}

function readable({ time, method, path, status, ms, fault, cause, code }: RequestLogEntry): string {
  const text = `${new Date(time).toTimeString().slice(0, 8)} ${method} ${path} ${status ?? "-"} ${ms.toFixed(1)} ms`;
  const parts = [text, cause && `${cause} ${code ?? ""}`.trimEnd(), fault && `fault ${fault}`];
  return safeText(parts.filter((part) => part !== undefined).join(" · "));
}

/** Why a request failed on the server's side, for the operator; hidden from the client. */
export interface Failure {
  readonly cause:
    | DatabaseProblem
    /** Any other problem of the database. */
    | "database"
    /** The connection was closed, because the write may or may not have been committed. */
    | "outcome_unknown"
    | "stopping"
    /** A bug. */
    | "defect";
  /** The SQLSTATE, the result code of SQLite, or the code of a network or file system error. */
  readonly code?: string | undefined;
}

/** A line of the log: one request, even without a response (injected fault, unknown outcome). */
export interface RequestLogEntry extends Partial<Failure> {
  /** When the response was complete: ISO 8601, UTC. */
  readonly time: string;
  readonly method: string;
  /** Without keys. Of its query, it has only the values of `page` and `perPage`. */
  readonly path: string;
  /** Null if no response was sent. */
  readonly status: number | null;
  /** From the end of the request's headers to the end of the response. */
  readonly ms: number;
  /** The id in the response, which the client may have chosen; safe to print. */
  readonly request_id: string;
  /** IP address of the client; undefined if it is unknown. */
  readonly client: string | undefined;
  /** Undefined if the request matched no operation. */
  readonly operation: OperationName | undefined;
  /** Undefined without a valid key. */
  readonly key_id: number | undefined;
  /** The injected fault, as text. */
  readonly fault: string | undefined;
  /** The bodies, cut to a length and without keys, if they are logged. */
  readonly body?: string | undefined;
  readonly response?: string | undefined;
}

/** Returns the file to which a full log is moved. */
export function olderLog(file: string): string {
  return `${file}.1`;
}

/** Moves a full log aside. Two servers that do so within microseconds lose the older lines. */
function moveAsideIfFull(file: string, maxBytes: number): void {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found?.isFile() !== true || found.size < maxBytes) return;
  for (const other of [file, olderLog(file)]) refuseDatabase(other);
  try {
    renameSync(file, olderLog(file));
  } catch (error) {
    // Another server has moved it.
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

function append(file: string, bytes: Buffer): void {
  const descriptor = openToAppend(file);
  try {
    if (writeSync(descriptor, bytes) < bytes.length) {
      throw Object.assign(new Error("the disk is full"), { code: "ENOSPC" });
    }
  } finally {
    closeSync(descriptor);
  }
}

/** Reads the lines of a log. */
export type LogReader = ReturnType<typeof openLogReader>;

/**
 * Reads a log, which serve keeps below 16 MiB, and goes on with the next when one is moved aside.
 *
 * @throws SendctlError "usage" for an unreadable file
 */
export function openLogReader(file: string) {
  let current: ReadLines | undefined;
  const added = (): readonly string[] => {
    const next = readLines(file, current);
    const isContinued = current !== undefined && next?.inode === current.inode;
    const older = isContinued ? undefined : readLines(olderLog(file), current);
    // Otherwise it is the current file, moved aside meanwhile, or one before it.
    const isRest = older?.inode === (current ?? older)?.inode && older?.inode !== next?.inode;
    const rest = isRest ? older : undefined;
    current = next ?? rest ?? current;
    return [...(rest?.lines ?? []), ...(next?.lines ?? [])];
  };
  const lines = added();
  return {
    /** Whether the log exists. */
    exists: current !== undefined,
    /** The complete lines of both files when the reader was opened, newest last. */
    lines,
    /** Returns the complete lines added since the last call. @throws SendctlError "usage" */
    added,
  };
}

/** What was read of a file. */
interface ReadLines {
  readonly inode: number;
  readonly lines: readonly string[];
  /** Where the next line starts, in bytes. */
  readonly end: number;
}

/**
 * Reads the complete lines of a file, if it exists. A line without its end waits for it.
 *
 * @param before what was read; the same file continues there, unless it was truncated
 * @throws SendctlError "usage" for an unreadable file
 */
function readLines(file: string, before?: ReadLines): ReadLines | undefined {
  let descriptor: number | undefined;
  try {
    // Opening a pipe would block otherwise.
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const found = fstatSync(descriptor);
    if (!found.isFile()) throw Object.assign(new Error("no file"), { code: "not a regular file" });
    const { ino: inode, size } = found;
    const isContinued = before?.inode === inode && size >= before.end;
    const start = isContinued ? before.end : 0;
    const bytes = Buffer.alloc(size - start);
    const length = readSync(descriptor, bytes, 0, bytes.length, start);
    const last = bytes.subarray(0, length).lastIndexOf("\n");
    const lines = last < 0 ? [] : bytes.toString("utf8", 0, last).split("\n");
    return { inode, lines, end: start + last + 1 };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw unreadableFile(`the request log ${file}`, error, file);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
