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
  const zero = bytes.indexOf(0);
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (zero < 0) return { text };
  } catch {
    const valid = validPrefix(bytes);
    if (zero < 0 || valid.length < zero) {
      return at(valid.text, "the file is not UTF-8; save it as UTF-8");
    }
  }
  const before = new TextDecoder().decode(bytes.subarray(0, zero));
  return at(before, "the file contains a NUL byte; it must be text");
}

/** Returns a problem that is located right after a text. */
function at(before: string, message: string): Decoded {
  const lineStart = before.lastIndexOf("\n") + 1;
  const line = before.split("\n").length;
  return { message, line, column: before.length - lineStart + 1 };
}

/** Returns the text before the first invalid byte. Bisects, because a decoder does not report the offset. */
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

/** Returns a function that converts offsets in a text to lines and columns. */
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
