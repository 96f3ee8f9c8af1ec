import { finished } from "node:stream/promises";
import type { ContactLine } from "../../../contract/contacts.ts";
import { SendctlError } from "../../../core/error.ts";
import { encodingProblem, withoutMark } from "../../../core/files.ts";
import { counted, formulaStart } from "../../../core/text.ts";
import { readHeader, type Given, type Header } from "./csv-header.ts";
import { firstLine, startingWith, textOf } from "./decode-text.ts";

/** Limit of a record in characters. A longer one usually means that a quote is missing. */
const maxRecordSize = 64 * 1024;

/** A file of contacts whose header is read. */
export interface ContactFile extends Pick<Header, "columns" | "ignored"> {
  /** The records, in batches of one or more. */
  readonly lines: AsyncIterable<readonly ContactLine[]>;
}

/** Returns the error for a file that cannot be imported. @param problem the predicate */
function refused(name: string, problem: string, hint: string, cause?: unknown): SendctlError {
  return new SendctlError("usage", `${name} ${problem}`, { hint, cause });
}

/**
 * Reads contacts in constant memory: CSV (RFC 4180) with a header, and commas, semicolons or tabs between the columns; in
 * UTF-8, or in UTF-16 with a mark; with any line ends.
 *
 * @returns the columns, and the records as they are read
 * @throws SendctlError "usage" for any other content, at once or while the records are read
 */
export async function readContacts(
  input: AsyncIterable<Uint8Array>,
  given: Given,
): Promise<ContactFile> {
  const { name } = given;
  const texts = textOf(input, (encoding, error) =>
    refused(name, encodingProblem(encoding), "convert the file to UTF-8", error),
  );
  try {
    const start = withoutMark(await firstLine(texts, maxRecordSize));
    // The header alone, so that it is the same for chunks of any size.
    if (start.split("\n", 1)[0]!.includes("\0")) {
      const hint = "save it as UTF-8, or as UTF-16 with a byte order mark";
      throw refused(name, "contains NUL characters", hint);
    }
    return await readCsv(start, startingWith(start, texts), given);
  } catch (error) {
    await texts.return(undefined);
    throw error;
  }
}

/** @param start of the file, with the header @param texts the whole file */
async function readCsv(
  start: string,
  texts: AsyncIterable<string>,
  given: Given,
): Promise<ContactFile> {
  const { name } = given;
  const begun = beginningOf(start);
  const batches = recordsOf(texts, name, begun);
  try {
    const { value: batch } = await batches.next();
    if (batch === undefined) {
      throw refused(name, "is empty", "begin it with a header, such as phone,first_name");
    }
    const [header, ...first] = batch;
    const read = readHeader(header!.cells, given);
    return { ...read, lines: linesAfter(first, batches, name, read) };
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
function usedCells({ line, cells: row }: ContactLine, { places, width }: Header): ContactLine {
  let cells = row;
  while (cells.length > width && cells.at(-1)!.trim() === "") cells = cells.slice(0, -1);
  if (cells.length !== width) {
    const problem = `has ${counted(cells.length, "column")}, but the header has ${width}`;
    return { line, cells, problem };
  }
  return { line, cells: places.map((place) => cells[place]!.replace(quotedFormula, "")) };
}

/** The apostrophe that keeps a spreadsheet from reading a cell as a formula, as `--csv-safe` writes it. */
const quotedFormula = new RegExp(`^'(?=${formulaStart})`);

/** Yields records with the line that each begins on, in batches of one or more. Empty lines are omitted. */
async function* recordsOf(
  texts: AsyncIterable<string>,
  name: string,
  { delimiter, skipped }: Beginning,
): AsyncGenerator<readonly ContactLine[], void, undefined> {
  const { parse } = await import("csv-parse");
  const parser = parse({
    delimiter,
    record_delimiter: "\n",
    relax_column_count: true,
    max_record_size: maxRecordSize,
  });
  let batch: ContactLine[] = [];
  let line = 1;
  parser.on("data", (cells: readonly string[]) => {
    if (line > skipped && cells.some((cell) => cell.trim() !== "")) batch.push({ line, cells });
    line += cells.join("").split("\n").length;
  });
  // Errors are reported to the callback of a write. Without a listener the event would end the process.
  parser.on("error", () => {});
  const failure = (error: unknown) => {
    const [problem, hint] = explain(error);
    return refused(`${name}, line ${line},`, problem, hint, error);
  };

  for await (const text of texts) {
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

interface Beginning {
  readonly delimiter: string;
  /** Number of lines before the header. */
  readonly skipped: number;
}

/**
 * Returns what is between the columns: what `sep=;` says, as Excel writes it, or else the mark that occurs most often in
 * the header, outside of quotes.
 */
function beginningOf(start: string): Beginning {
  const [, given] = /^sep=(.)\n/i.exec(start) ?? [];
  if (given !== undefined) return { delimiter: given, skipped: 1 };
  const line = start.split("\n", 1)[0]!.replace(/"[^"]*"/g, "");
  const counts = [",", ";", "\t"].map((mark) => [mark, line.split(mark).length] as const);
  const [[delimiter]] = counts.toSorted(([, left], [, right]) => right - left) as [
    [string, number],
  ];
  return { delimiter, skipped: 0 };
}
