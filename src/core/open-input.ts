import { constants, createReadStream, fstatSync, openSync } from "node:fs";
import type { Readable } from "node:stream";
import { SendctlError } from "./error.ts";
import { unreadableFile } from "./files.ts";

/** Bytes of one read of a file. */
const step = 64 * 1024;

/**
 * Opens a file for reading. A named pipe or a terminal is read as standard input is: Node would wait for a file in a
 * thread, which keeps the process from ending on a signal.
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

/** Returns the bytes of a stream, and not many more than a limit: a device or a pipe may never end. */
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
  const input = await openInput(name, path);
  try {
    return await readUpTo(input, limit);
  } catch (error) {
    throw unreadableFile(name, error);
  }
}

/**
 * Decodes the UTF-8 of a file or of standard input.
 *
 * @param maxBytes a whole number of MiB; a device or a pipe may never end
 * @throws SendctlError "usage" for more bytes, and for other encodings
 */
export function utf8Text(
  bytes: Uint8Array,
  maxBytes: number,
  source: string,
  hint: string,
): string {
  if (bytes.length > maxBytes) {
    const limit = maxBytes / 1024 / 1024;
    throw new SendctlError("usage", `${source} is larger than ${limit} MiB`, { hint });
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new SendctlError("usage", `${source} is not UTF-8`, { hint, cause });
  }
}
