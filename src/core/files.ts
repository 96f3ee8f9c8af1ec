import { SendctlError } from "./error.ts";
import { elapsed } from "./time.ts";
import {
  closeSync,
  constants,
  createReadStream,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  statSync,
} from "node:fs";
import { platform } from "node:process";
import { dirname } from "node:path";
import type { Readable } from "node:stream";

/** Hints for file system errors, by their code. For any other, the name may be wrong. */
const hints: Readonly<Record<string, string>> = {
  EACCES: "check its permissions",
  EPERM: "check its permissions",
  ENOTDIR: "check its path: a part of it is not a folder",
  EROFS: "use another disk: this one is read-only",
  ENOSPC: "free disk space and try again",
  EDQUOT: "free disk space and try again",
};

/** Returns the hint for an error of the file system. */
export function fileHint(error: unknown): string {
  const { code = "" } = error as NodeJS.ErrnoException;
  return hints[code] ?? "check the name";
}

/**
 * Returns the error for a file that cannot be read.
 *
 * @param name how to call it, as the user wrote it
 * @param error the error of the file system
 */
export function unreadableFile(name: string, error: unknown, file = name): SendctlError {
  if (error instanceof SendctlError) return error;
  const { code } = error as NodeJS.ErrnoException;
  const problem = code === "ENOENT" ? "does not exist" : `cannot be read (${code})`;
  const isUrl = /^https?:\/\//i.test(name);
  return new SendctlError("usage", `${name} ${problem}`, {
    hint: isUrl ? "only files are read: download it first, such as with curl" : fileHint(error),
    file,
    cause: error,
  });
}

/**
 * Renames a file over another. On Windows, that fails while anyone has either of them open, such as
 * a virus scanner or another sendctl that reads it, so it is tried again for a second.
 *
 * @throws the error of the file system
 */
export function renameOver(
  from: string,
  to: string,
  system: NodeJS.Platform = platform,
  rename: (from: string, to: string) => void = renameSync,
): void {
  const deadline = elapsed() + 1000;
  for (;;) {
    try {
      return rename(from, to);
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      const mayPass = system === "win32" && ["EPERM", "EACCES", "EBUSY"].includes(code);
      if (!mayPass || elapsed() > deadline) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
  }
}

/**
 * Creates a folder and the folders of its path, accessible only to their owner. Node's own
 * recursion never ends where the system reports an existing parent as missing, as in /proc.
 *
 * @throws the error of the file system
 */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) makeFolder(parent);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** Bytes of one read of a file. */
const step = 64 * 1024;

/**
 * Opens a file for reading. A named pipe or a terminal is read as standard input is: Node would
 * wait for a file in a thread, which keeps the process from ending on a signal.
 *
 * @param name as the user wrote it
 * @throws SendctlError "usage" for a file that cannot be opened
 */
export async function openInput(name: string, path: string): Promise<Readable> {
  try {
    // Opening a pipe would wait for its writer.
    const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const found = fstatSync(descriptor);
    // The built-in modules are loaded late, because other commands need neither.
    const waits = found.isFIFO() || (await import("node:tty")).isatty(descriptor);
    if (!waits) return createReadStream(path, { fd: descriptor, highWaterMark: step });
    const { Socket } = await import("node:net");
    return new Socket({ fd: descriptor, writable: false });
  } catch (error) {
    throw unreadableFile(name, error);
  }
}

/** Returns the bytes of a stream, up to little more than a limit: a device may never end. */
export async function readUpTo(stream: NodeJS.ReadableStream, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk);
    chunks.push(bytes);
    length += bytes.length;
    if (length > limit) break;
  }
  return Buffer.concat(chunks);
}

/**
 * Returns the bytes of a file, and not many more than a limit.
 *
 * @param name as the user wrote it
 * @param limit in bytes
 * @throws SendctlError "usage" for a file that cannot be read
 */
export async function readFileUpTo(name: string, path: string, limit: number): Promise<Buffer> {
  try {
    return await readUpTo(await openInput(name, path), limit);
  } catch (error) {
    throw unreadableFile(name, error);
  }
}

/** Files that are not text, by their first bytes in hexadecimal. */
const binaries: readonly (readonly [start: string, problem: string, hint: string])[] = [
  ["504b0304", "is an Excel workbook or another ZIP file", "save the sheet as CSV"],
  ["d0cf11e0", "is an Excel workbook", "save the sheet as CSV"],
  ["1f8b", "is compressed with gzip", "decompress it first: gunzip FILE"],
];

/** Names the kind of a file that is not text, and how to get its text; undefined for any other. */
export function binaryFormat(bytes: Uint8Array) {
  const start = Buffer.from(bytes.subarray(0, 4)).toString("hex");
  const [, problem, hint] = binaries.find(([first]) => start.startsWith(first)) ?? [];
  return problem === undefined ? undefined : { problem, hint: hint! };
}

/**
 * Decodes UTF-8, or UTF-16 with a byte order mark.
 *
 * @param maxBytes a whole number of KiB or MiB; a device or a pipe may never end
 * @returns the text, or what is wrong, worded to follow the name of the source
 */
export function decodeUpTo(
  bytes: Uint8Array,
  maxBytes: number,
): { readonly text: string } | { readonly problem: string; readonly hint?: string } {
  if (bytes.length > maxBytes) {
    const kib = maxBytes / 1024;
    return { problem: `is larger than ${kib < 1024 ? `${kib} KiB` : `${kib / 1024} MiB`}` };
  }
  const encoding = encodingOf(bytes);
  try {
    return { text: new TextDecoder(encoding, { fatal: true }).decode(bytes) };
  } catch {
    return binaryFormat(bytes) ?? { problem: encodingProblem(encoding) };
  }
}

/** Returns the text of a file in PEM, whose comments may be in any encoding. */
export function pemText(bytes: Uint8Array): string {
  return new TextDecoder(encodingOf(bytes)).decode(bytes);
}

/** Decodes a file or standard input, as above. @throws SendctlError "usage" */
export function utf8Text(
  bytes: Uint8Array,
  maxBytes: number,
  source: string,
  hint: string,
): string {
  const decoded = decodeUpTo(bytes, maxBytes);
  if ("text" in decoded) return decoded.text;
  throw new SendctlError("usage", `${source} ${decoded.problem}`, { hint: decoded.hint ?? hint });
}

/** Returns the encoding by the byte order mark: UTF-16, common on Windows, or UTF-8. */
export function encodingOf([first, second]: Uint8Array = new Uint8Array()): string {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
}

/** Returns why bytes cannot be decoded, to follow a file name. @param encoding by `encodingOf` */
export function encodingProblem(encoding: string): string {
  if (encoding === "utf-8") return "is not UTF-8";
  return "has a byte order mark of UTF-16, but is not valid UTF-16";
}

/** Returns a text without a byte order mark, which editors on Windows write at its beginning. */
export function withoutMark(text: string): string {
  return text.startsWith("\ufeff") ? text.slice(1) : text;
}

/** Returns whether a path is that of a regular file, also through a link. */
export function isRegularFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** Returns whether a regular file begins like an SQLite database. Nothing is read from a pipe. */
export function isSqliteFile(file: string): boolean {
  const header = Buffer.alloc(16);
  try {
    if (!isRegularFile(file)) return false;
    const descriptor = openSync(file, "r");
    try {
      readSync(descriptor, header);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // The next reader reports why it cannot be read.
  }
  return header.toString("latin1") === "SQLite format 3\0";
}
