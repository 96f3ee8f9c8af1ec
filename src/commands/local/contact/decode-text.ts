import { encodingOf } from "../../../core/files.ts";

/**
 * Yields a file as text whose line ends are newlines, so that lines are counted as in an editor. It may begin with a byte
 * order mark.
 *
 * @param refuse returns the error for bytes that are no text of an encoding
 * @throws that error
 */
export async function* textOf(
  input: AsyncIterable<Uint8Array>,
  refuse: (encoding: string, cause: unknown) => Error,
): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  const decoded = (chunk?: Uint8Array): string => {
    decoder ??= new TextDecoder(encodingOf(chunk), { fatal: true, ignoreBOM: true });
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch (error) {
      throw refuse(decoder.encoding, error);
    }
  };
  // A carriage return at the end of a chunk may be half of a line end.
  let half = "";
  let start = Buffer.alloc(0);
  for await (const part of input) {
    // The first chunk of a pipe may be less than a byte order mark.
    if (decoder === undefined) start = Buffer.concat([start, part]);
    if (start.length < 2) continue;
    const text = half + decoded(decoder === undefined ? start : part);
    half = text.endsWith("\r") ? "\r" : "";
    yield withNewlines(half === "" ? text : text.slice(0, -1));
  }
  const rest = decoder === undefined ? decoded(start) : "";
  yield withNewlines(half + rest + decoded());
}

function withNewlines(text: string): string {
  return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
}

/** Yields a text, and then the others. */
export async function* startingWith(
  first: string,
  others: AsyncIterable<string>,
): AsyncGenerator<string> {
  yield first;
  yield* others;
}

/** Reads until a text has a whole line, or more characters than a limit. */
export async function firstLine(texts: AsyncGenerator<string>, limit: number): Promise<string> {
  let start = "";
  while (!start.includes("\n") && start.length < limit) {
    const { value, done } = await texts.next();
    if (done === true) break;
    start += value;
  }
  return start;
}
