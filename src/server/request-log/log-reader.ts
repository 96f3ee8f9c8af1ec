import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { unreadableFile } from "../../core/files.ts";
import { olderLog } from "./log-file.ts";

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
      current?.read(added);
      const found = statSync(file, { throwIfNoEntry: false });
      if (found === undefined || found.ino === current?.inode) return added;
      const next = openLines(file);
      if (next === undefined) return added;
      // Lines may have been added before the file was moved aside.
      current?.read(added);
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
  let rest: Buffer[] = [];
  return {
    inode: fstatSync(descriptor).ino,
    read: (lines) => {
      // The file was truncated.
      if (fstatSync(descriptor).size < offset) [offset, rest] = [0, []];
      for (;;) {
        const length = readSync(descriptor, chunk, 0, chunkBytes, offset);
        if (length === 0) return;
        offset += length;
        const bytes = chunk.subarray(0, length);
        let start = 0;
        for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, start)) {
          lines.push(Buffer.concat([...rest, bytes.subarray(start, end)]).toString("utf8"));
          rest = [];
          start = end + 1;
        }
        if (start < length) rest.push(Buffer.from(bytes.subarray(start)));
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
