import { finished } from "node:stream/promises";
import type { ContactLine } from "../../../contract/contacts.ts";
import { SendctlError } from "../../../core/error.ts";
import { readHeader, type Header } from "./csv-header.ts";

/** Limit of a record in characters. A longer one usually means that a quote is missing. */
const maxRecordSize = 64 * 1024;

/**
 * Reads CSV (RFC 4180) with a header and any line ends, in constant memory: in UTF-8, or in UTF-16 with a mark, and with
 * commas, semicolons or tabs between the columns.
 *
 * @param name the file name in errors
 * @param given the values of `--column`
 * @param command what begins the command line, for hints
 * @returns the columns, the names of those that are not used, and the records as they are read
 * @throws SendctlError "usage" for any other content, at once or while the lines are read
 */
export async function readContacts(
  input: AsyncIterable<Uint8Array>,
  name: string,
  given: readonly string[] = [],
  command = "sendctl local contact import",
) {
  const batches = recordsOf(input, name);
  try {
    const { value: batch } = await batches.next();
    if (batch === undefined) {
      throw refused(name, "is empty", "begin it with a header, such as phone,first_name");
    }
    const [header, ...first] = batch;
    const read = readHeader(header!.cells, name, given, command);
    const { columns, ignored } = read;
    return { columns, ignored, lines: linesAfter(first, batches, name, read) };
  } catch (error) {
    await batches.return(undefined);
    throw error;
  }
}

/** Yields the first lines and all others. */
async function* linesAfter(
  first: readonly ContactLine[],
  others: AsyncIterable<readonly ContactLine[]>,
  name: string,
  header: Header,
): AsyncGenerator<readonly ContactLine[]> {
  let isEmpty = first.length === 0;
  if (!isEmpty) yield first.map((line) => usedCells(line, header));
  for await (const lines of others) {
    isEmpty = false;
    yield lines.map((line) => usedCells(line, header));
  }
  if (isEmpty) {
    throw refused(name, "contains a header and no contacts", "add a line for each contact");
  }
}

/** Returns a line with the cells of the columns in use, unless it has another number of cells than the header. */
function usedCells(given: ContactLine, { places, width }: Header): ContactLine {
  const { line } = given;
  let { cells } = given;
  while (cells.length > width && cells.at(-1)!.trim() === "") cells = cells.slice(0, -1);
  if (cells.length !== width) return { line, cells, width };
  const isSame = places.length === width && places.every((place, index) => place === index);
  return isSame ? { line, cells } : { line, cells: places.map((place) => cells[place]!) };
}

/** Returns the error for a file that cannot be imported. @param problem the predicate */
function refused(name: string, problem: string, hint: string, cause?: unknown): SendctlError {
  return new SendctlError("usage", `${name} ${problem}`, { hint, cause });
}

/** Yields records with the line that each begins on, in batches of one or more. Empty lines are omitted. */
async function* recordsOf(
  input: AsyncIterable<Uint8Array>,
  name: string,
): AsyncGenerator<readonly ContactLine[], void, undefined> {
  const { parse } = await import("csv-parse");
  const texts = textOf(input, name);
  const { delimiter, start, skipped } = await beginningOf(texts);
  const parser = parse({
    delimiter,
    record_delimiter: "\n",
    relax_column_count: true,
    max_record_size: maxRecordSize,
  });
  let batch: ContactLine[] = [];
  let line = 1 + skipped;
  parser.on("data", (cells: readonly string[]) => {
    if (cells.some((cell) => cell.trim() !== "")) batch.push({ line, cells });
    line += cells.join("").split("\n").length;
  });
  // Errors are reported to the callback of a write. Without a listener the event would end the process.
  parser.on("error", () => {});
  const failure = (error: unknown): SendctlError => {
    const [problem, hint] = explain(error);
    return refused(`${name}, line ${line},`, problem, hint, error);
  };

  for await (const text of startingWith(start, texts)) {
    await new Promise<void>((resolve, reject) => {
      parser.write(text, (error) => (error ? reject(failure(error)) : resolve()));
    });
    if (batch.length > 0) yield batch;
    batch = [];
  }
  parser.end();
  await finished(parser).catch((error: unknown) => {
    throw failure(error);
  });
  if (batch.length > 0) yield batch;
}

/** Translates an error of csv-parse. */
function explain(error: unknown): readonly [problem: string, hint: string] {
  const { code } = error as { readonly code?: string };
  if (code === "CSV_QUOTE_NOT_CLOSED") {
    return ["opens a quote that is never closed", "close the quote"];
  }
  if (code === "CSV_MAX_RECORD_SIZE") {
    return ["begins a record of more than 64 KiB", "check whether a quote is missing"];
  }
  return ["has a quote within an unquoted field", "double it, and enclose the field in quotes"];
}

/** Yields a text, and then the others. */
async function* startingWith(first: string, others: AsyncIterable<string>): AsyncGenerator<string> {
  yield first;
  yield* others;
}

/**
 * Reads the first line, and returns what is between its columns: what `sep=;` says, as Excel writes it, or else what is
 * there most often, outside of quotes.
 */
async function beginningOf(texts: AsyncGenerator<string>) {
  let start = "";
  while (!start.includes("\n") && start.length < maxRecordSize) {
    const { value, done } = await texts.next();
    if (done === true) break;
    start += value;
  }
  const [, given] = /^sep=(.)\n/.exec(start) ?? [];
  if (given !== undefined)
    return { delimiter: given, start: start.slice("sep=;\n".length), skipped: 1 };
  const line = start.split("\n", 1)[0]!.replace(/"[^"]*"/g, "");
  const counted = [",", ";", "\t"].map((mark) => [mark, line.split(mark).length] as const);
  const [[delimiter]] = counted.toSorted(([, left], [, right]) => right - left) as [
    [string, number],
  ];
  return { delimiter, start, skipped: 0 };
}

/** Yields the input as text whose line ends are newlines, so that lines are counted as in an editor. */
async function* textOf(input: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  const decoded = (chunk?: Uint8Array): string => {
    try {
      decoder ??= new TextDecoder(encodingOf(chunk), { fatal: true });
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch (error) {
      throw refused(name, "is not UTF-8", "convert the file to UTF-8", error);
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

/** Returns the encoding by the mark at the beginning of a file: Excel's "Unicode text" is UTF-16. */
function encodingOf([first, second]: Uint8Array = new Uint8Array()): string {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
}

function withNewlines(text: string): string {
  return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
}
