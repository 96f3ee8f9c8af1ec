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
  for await (const chunk of withWholeCharacters(withWholeBeginning(input))) {
    const text = half + decoded(chunk);
    half = text.endsWith("\r") ? "\r" : "";
    yield withNewlines(half === "" ? text : text.slice(0, -1));
  }
  yield withNewlines(half + decoded());
}

/** In bytes: a byte order mark, and the first words of a vCard. */
const beginning = 64;

/** Yields the input in chunks. The first has the whole beginning, unless the input is shorter. */
async function* withWholeBeginning(input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let first: Uint8Array | undefined = new Uint8Array();
  for await (const chunk of input) {
    if (first === undefined) yield chunk;
    else {
      first = Buffer.concat([first, chunk]);
      if (first.length < beginning) continue;
      yield first;
      first = undefined;
    }
  }
  if (first !== undefined) yield first;
}

/** In bytes: a fold, and as much of a character as may follow it. */
const maxFold = 6;

/** Yields the input without folds of a vCard that divide a character: some programs fold bytes. */
async function* withWholeCharacters(input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isCard: boolean | undefined;
  let rest = "";
  for await (const chunk of input) {
    isCard ??= /^(?:\xef\xbb\xbf)?\s*BEGIN:VCARD/i.test(latin1(chunk.subarray(0, beginning)));
    if (!isCard) yield chunk;
    else {
      const bytes = rest + latin1(chunk);
      const begun = bytes.slice(-maxFold).search(/[\r\n]/);
      const end = begun < 0 ? bytes.length : Math.max(0, bytes.length - maxFold) + begun;
      rest = bytes.slice(end);
      yield whole(bytes.slice(0, end));
    }
  }
  if (rest !== "") yield whole(rest);
}

/** Returns bytes whose folds are behind the characters that they divide, so that the numbers of lines stay. */
const whole = (bytes: string): Uint8Array =>
  Buffer.from(bytes.replace(/((?:\r\n?|\n)[ \t])([\x80-\xbf]+)/g, "$2$1"), "latin1");

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");

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
