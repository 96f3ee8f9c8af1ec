import { finished } from "node:stream/promises";
import type { ContactColumn, ContactLine } from "../../../contract/contacts.ts";
import { counted, formulaStart } from "../../../core/text.ts";
import { readHeader, type Header } from "./csv-header.ts";
import { maxRecordSize, refused, type ContactFile, type Given } from "./contact-file.ts";

/**
 * Reads CSV (RFC 4180) with commas, semicolons or tabs between the columns. The first line is the header.
 *
 * @param start of the file, with the header
 * @param texts the whole file
 * @param mark the byte order mark that it had before
 * @throws SendctlError "usage" for any other content, at once or while the lines are read
 */
export async function readCsv(
  start: string,
  texts: AsyncIterable<string>,
  given: Given,
  mark: string,
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
    const lines = linesAfter(first, batches, name, read);
    const { delimiter, skipped } = begun;
    const beginning = skipped === 0 ? mark : `${mark}sep=${delimiter}\r\n`;
    return { ...read, beginning, delimiter, lines, noun: "line" };
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
function usedCells(
  { line, cells: row }: ContactLine,
  { columns, places, header }: Header,
): ContactLine {
  const width = header.length;
  let cells = row;
  while (cells.length > width && cells.at(-1)!.trim() === "") cells = cells.slice(0, -1);
  if (cells.length !== width) {
    const problem = `has ${counted(cells.length, "column")}, but the header has ${width}`;
    return { line, cells, problem };
  }
  const isSame = places.length === width && places.every((place, index) => place === index);
  const used = isSame ? cells : places.map((place) => cells[place]!);
  if (!used.some((cell) => special.test(cell)))
    return isSame ? { line, cells } : { line, cells: used, row };
  return { line, cells: used.map((cell, index) => plainCell(cell, columns[index]!)), row };
}

/** Matches what other programs write for a text, for several numbers, and for a date that is unknown. */
const special = /^\s*['=]|:::|^0\/0\/0/;

const quotedFormula = new RegExp(`^'(?=${formulaStart})`);

/**
 * Returns a cell as it is meant: without the apostrophe that keeps a spreadsheet from reading it as a formula, as
 * `--csv-safe` writes it; the text of the formula `="+44"`; the first number of Google Contacts; no birthday of Outlook.
 */
function plainCell(given: string, column: ContactColumn): string {
  const cell = given.trim();
  const [, formula] = /^="((?:[^"]|"")*)"$/.exec(cell) ?? [];
  const text = formula?.replaceAll('""', '"') ?? cell.replace(quotedFormula, "");
  if (column === "phone") return text.split(":::", 1)[0]!.trim();
  return column === "birth_date" && /^0\/0\/0+$/.test(text) ? "" : text;
}

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

  for await (const text of withQuotedFormulas(texts, delimiter)) {
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

/**
 * Yields texts in which a cell `="+44"`, as programs write a text for spreadsheets, is a quoted field. No field of valid
 * CSV has such a part: a quote is followed by another one, or ends the field.
 */
async function* withQuotedFormulas(
  texts: AsyncIterable<string>,
  delimiter: string,
): AsyncGenerator<string> {
  const mark = delimiter.replace(/[^\w\s]/, "\\$&");
  const formula = new RegExp(`(?<=^|[\n${mark}])="([^"\n${mark}]+)"(?=[\n${mark}]|$)`, "g");
  const quoted = (text: string): string =>
    text.includes('="') ? text.replace(formula, '"=""$1"""') : text;
  let rest = "";
  for await (const text of texts) {
    rest += text;
    // A cell may continue in the next text.
    const end = rest.lastIndexOf("\n") + 1 || (rest.length > maxRecordSize ? rest.length : 0);
    yield quoted(rest.slice(0, end));
    rest = rest.slice(end);
  }
  yield quoted(rest);
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
