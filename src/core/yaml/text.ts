import { isUtf8 } from "node:buffer";
import { LineCounter } from "yaml";

/** The text of a file, or the first problem of its bytes. Lines and columns start at 1. */
export type Decoded =
  | { readonly text: string }
  | { readonly message: string; readonly line: number; readonly column: number };

/** The largest size of a kind of file, and what to do about a larger one. */
export interface FileLimit {
  readonly bytes: number;
  readonly help: string;
}

/** Decodes a file. A file over the limit is rejected by its length, so that not all of it needs to be read. */
export function decodeText(bytes: Uint8Array, limit: FileLimit): Decoded {
  if (bytes.length > limit.bytes) {
    const kib = limit.bytes / 1024;
    const size = kib < 1024 ? `${kib} KiB` : `${kib / 1024} MiB`;
    return at("", `the file is larger than ${size}; ${limit.help}`);
  }
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    return at("", "the file is UTF-16; save it as UTF-8");
  }
  const text = new TextDecoder().decode(bytes);
  const zero = text.indexOf("\0");
  // Each invalid byte is decoded as this character. A file may also contain it, before its first invalid byte.
  const invalid = isUtf8(bytes) ? -1 : text.indexOf("\ufffd");
  if (invalid >= 0 && (zero < 0 || invalid < zero)) {
    return at(text.slice(0, invalid), "the file is not UTF-8; save it as UTF-8");
  }
  if (zero < 0) return { text };
  return at(text.slice(0, zero), "the file contains a NUL byte; it must be text");
}

/** Returns a problem that is located right after a text. */
function at(before: string, message: string): Decoded {
  const lineStart = before.lastIndexOf("\n") + 1;
  const line = before.split("\n").length;
  return { message, line, column: before.length - lineStart + 1 };
}

/** Returns a function that converts offsets in a text to lines and columns. */
export function createLocations(
  text: string,
): (offset: number) => { readonly line: number; readonly column: number } {
  const counter = new LineCounter();
  counter.addNewLine(0);
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) {
    counter.addNewLine(at + 1);
  }
  return (offset) => {
    const { line, col: column } = counter.linePos(offset);
    return { line, column };
  };
}
