import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { SendctlError } from "../contract/error.ts";
import type { Runtime } from "./runtime.ts";
import { makeTemporaryFolder } from "./temporary-folder.ts";

/** A temporary file for text that is written from beginning to end and then read. */
export interface Spool {
  /** Appends text. @throws SendctlError "output" if the file cannot be written, such as on a full disk */
  readonly write: (text: string) => void;
  /** In bytes. */
  readonly length: () => number;
  /** Returns a part of the text. @param from in bytes @param to in bytes */
  readonly read: (from: number, to: number) => string;
  /** Yields the text in pieces that end after a line, except for the last one. */
  readonly pieces: () => Generator<string>;
  /** Deletes the file. */
  readonly close: () => void;
}

/** In bytes. */
const pieceLength = 64 * 1024;

const lineEnd = 10;

/** Maximum number of bytes of a UTF-16 unit in UTF-8. */
const maxBytesPerUnit = 3;

/**
 * Creates a temporary file. Its name is removed at once, so that nothing of it remains if the process is killed.
 *
 * @throws SendctlError "usage" if it cannot be created
 */
export async function openSpool(runtime: Pick<Runtime, "env" | "folder">): Promise<Spool> {
  const { file, remove } = await makeTemporaryFolder("list", runtime);
  const descriptor = openSync(file, "wx+", 0o600);
  // Windows may keep the name until the file is closed.
  const isRemoved = await remove().then(
    () => true,
    () => false,
  );
  let isOpen = true;
  let length = 0;
  // A new buffer for each text would fill the memory until the next garbage collection.
  let bytes = Buffer.alloc(0);
  const makeRoom = (count: number): void => {
    if (bytes.length < count) bytes = Buffer.alloc(count);
  };
  const append = (text: string): void => {
    makeRoom(text.length * maxBytesPerUnit);
    const end = bytes.write(text);
    let written = 0;
    while (written < end) {
      written += writeSync(descriptor, bytes, written, end - written, length + written);
    }
    length += written;
  };
  /** Fills a buffer from an offset on, and returns the number of bytes. */
  const readInto = (buffer: Uint8Array, offset: number, position: number): number => {
    const read = readSync(descriptor, buffer, offset, buffer.length - offset, position);
    if (read === 0) throw new SendctlError("output", "a temporary file was truncated");
    return read;
  };
  return {
    write: (text) => {
      try {
        append(text);
      } catch (error) {
        const parent = dirname(dirname(file));
        const { message } = error as Error;
        throw new SendctlError("output", `cannot write to a file in ${parent}: ${message}`, {
          hint: "set TMPDIR to a folder with more space",
          cause: error,
        });
      }
    },
    length: () => length,
    read: (from, to) => {
      makeRoom(to - from);
      const part = bytes.subarray(0, to - from);
      for (let filled = 0; filled < part.length;) filled += readInto(part, filled, from + filled);
      return part.toString();
    },
    *pieces() {
      let piece = Buffer.alloc(pieceLength);
      /** Number of bytes at the beginning of `piece` that were read but not yielded. */
      let kept = 0;
      for (let position = 0; position < length;) {
        if (kept === piece.length) piece = Buffer.concat([piece, Buffer.alloc(kept)]);
        const read = readInto(piece, kept, position);
        position += read;
        const end = kept + read;
        const whole = position < length ? piece.lastIndexOf(lineEnd, end - 1) + 1 : end;
        if (whole > 0) yield piece.toString("utf8", 0, whole);
        piece.copy(piece, 0, whole, end);
        kept = end - whole;
      }
    },
    close: () => {
      if (!isOpen) return;
      isOpen = false;
      closeSync(descriptor);
      if (!isRemoved) void remove().catch(() => {});
    },
  };
}
