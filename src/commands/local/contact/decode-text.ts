import { encodingOf } from "../../../core/files.ts";

/**
 * Yields a file as text whose line ends are newlines, so that lines are counted as in an editor.
 *
 * @param refuse returns the error for bytes that are no text
 * @throws that error
 */
export async function* textOf(
  input: AsyncIterable<Uint8Array>,
  refuse: (cause: unknown) => Error,
): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  const decoded = (chunk?: Uint8Array): string => {
    try {
      decoder ??= new TextDecoder(encodingOf(chunk), { fatal: true });
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch (error) {
      throw refuse(error);
    }
  };
  // A carriage return at the end of a chunk may be half of a line end.
  let half = "";
  for await (const chunk of withWholeMark(input)) {
    const text = half + decoded(chunk);
    half = text.endsWith("\r") ? "\r" : "";
    yield withNewlines(half === "" ? text : text.slice(0, -1));
  }
  yield withNewlines(half + decoded());
}

/** Yields the input in chunks. The first has at least the two bytes of a byte order mark, unless the input is shorter. */
async function* withWholeMark(input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let first: Uint8Array | undefined = new Uint8Array();
  for await (const chunk of input) {
    if (first === undefined) yield chunk;
    else {
      first = Buffer.concat([first, chunk]);
      if (first.length < 2) continue;
      yield first;
      first = undefined;
    }
  }
  if (first !== undefined) yield first;
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
