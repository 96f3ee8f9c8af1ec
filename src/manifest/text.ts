import { fileLimit } from "./limits.ts";

/** The text of a file, or what is wrong with its bytes; lines and columns from 1. */
export type Decoded =
  | { readonly text: string }
  | { readonly message: string; readonly line: number; readonly column: number };

/** A file that is too large is refused by its length alone: see src/manifest/sources.ts. */
export function decodeText(bytes: Uint8Array): Decoded {
  if (bytes.length > fileLimit) {
    const limit = fileLimit / 1024 / 1024;
    return at("", `is over ${limit} MiB: make several files of it`);
  }
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    return at("", "is UTF-16: save it as UTF-8");
  }
  const zero = bytes.indexOf(0);
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (zero < 0) return { text };
  } catch {
    const valid = validPrefix(bytes);
    if (zero < 0 || valid.length < zero) return at(valid.text, "is not UTF-8: save it as UTF-8");
  }
  const before = new TextDecoder().decode(bytes.subarray(0, zero));
  return at(before, "holds a NUL byte: a manifest is text");
}

/** Just behind a text. */
function at(before: string, message: string): Decoded {
  const lineStart = before.lastIndexOf("\n") + 1;
  const line = before.split("\n").length;
  return { message, line, column: before.length - lineStart + 1 };
}

/** What stands before the first character that is none: halving, because decoding says only whether. */
function validPrefix(bytes: Uint8Array): { readonly text: string; readonly length: number } {
  let length = 0;
  let text = "";
  let tooLong = bytes.length + 1;
  while (tooLong - length > 1) {
    const middle = Math.floor((length + tooLong) / 2);
    try {
      const decoder = new TextDecoder("utf-8", { fatal: true });
      text = decoder.decode(bytes.subarray(0, middle), { stream: true });
      length = middle;
    } catch {
      tooLong = middle;
    }
  }
  return { text, length };
}

/** Finds lines and columns of offsets in a text. */
export function createLocations(
  text: string,
): (offset: number) => { readonly line: number; readonly column: number } {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (starts[middle]! <= offset) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: offset - starts[low]! + 1 };
  };
}
