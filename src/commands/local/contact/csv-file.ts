import { finished } from "node:stream/promises";
import {
  type ContactLine,
  contactColumns,
  type ContactColumn,
} from "../../../contract/contacts.ts";
import { SendctlError } from "../../../core/error.ts";
import { binaryFormat, encodingProblem, withoutMark, encodingOf } from "../../../core/files.ts";
import { counted, formulaStart, cut, shellWord, visibleText } from "../../../core/text.ts";

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
 * Reads contacts in constant memory: CSV (RFC 4180) with a header, and commas, semicolons or tabs
 * between the columns; in UTF-8, or in UTF-16 with a mark; with any line ends.
 *
 * @returns the columns, and the records as they are read
 * @throws SendctlError "usage" for any other content, at once or while the records are read
 */
export async function readContacts(
  input: AsyncIterable<Uint8Array>,
  given: Given,
): Promise<ContactFile> {
  const { name } = given;
  const texts = textOf(input, ({ problem, hint = "convert the file to UTF-8" }, error) =>
    refused(name, problem, hint, error),
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

/** Returns a line with the cells of the columns in use, if it has as many cells as the header. */
function usedCells({ line, cells: row }: ContactLine, { places, width }: Header): ContactLine {
  let cells = row;
  while (cells.length > width && cells.at(-1)!.trim() === "") cells = cells.slice(0, -1);
  if (cells.length !== width) {
    const problem = `has ${counted(cells.length, "column")}, but the header has ${width}`;
    return { line, cells, problem };
  }
  return { line, cells: places.map((place) => cells[place]!.replace(quotedFormula, "")) };
}

/** The apostrophe, written by `--csv-safe`, that keeps a cell from being read as a formula. */
const quotedFormula = new RegExp(`^'(?=${formulaStart})`);

/** Yields non-empty batches of records with the lines where they begin. Empty lines are omitted. */
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
  // The callback of a write gets errors. Without a listener, the event would end the process.
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
 * Returns the mark between the columns: the one that `sep=;` names, as Excel writes it, or else the
 * mark that occurs most often in the header, outside of quotes.
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

/** What the command line says of the file. */
export interface Given {
  /** The file name in errors. */
  readonly name: string;
  /** The values of `--column`. */
  readonly columns: readonly string[];
}

/** Where the columns of a file are. */
interface Header {
  readonly columns: readonly ContactColumn[];
  /** The index of the cell of each column. */
  readonly places: readonly number[];
  /** Number of all columns. */
  readonly width: number;
  /** Names of the columns that are not used. */
  readonly ignored: readonly string[];
}

/** Returns a name of a column without case and invisible marks, and with underscores for spaces. */
function plainName(name: string): string {
  return name
    .replace(/\p{Cf}/gu, "")
    .trim()
    .toLowerCase()
    .replace(/\s+/g, "_");
}

/**
 * Reads the header: names in any order.
 *
 * @throws SendctlError "usage" for a column that is unknown, missing, or one of two
 */
function readHeader(cells: readonly string[], given: Given): Header {
  const { name } = given;
  const width = cells.findLastIndex((cell) => cell.trim() !== "") + 1;
  const names = cells.slice(0, width).map((cell) => cell.trim());
  const found = names.map((cell) => visibleText(cut(cell))).join(", ");
  const refuse = (problem: string, hint: string): SendctlError =>
    new SendctlError("usage", `${name} ${problem}; its columns are ${found}`, { hint });
  if (names.length === 1 && found.includes("|") && given.columns.length === 0) {
    const hint = "use commas, semicolons or tabs between columns, or begin the file with sep=|";
    throw refused(name, `has a single column: ${found}`, hint);
  }
  const mapped = mappedColumns(given.columns, names, found);
  const fields = names.map((cell, place) => {
    const known = contactColumns.find((column) => column === plainName(cell));
    const own = contactColumns.find((column) => mapped.get(column) === place);
    return own ?? (known !== undefined && mapped.has(known) ? undefined : known);
  });
  const twice = fields.find((field, place) => field && fields.indexOf(field) !== place);
  if (twice !== undefined) {
    const choice = columnOption(twice, names[fields.indexOf(twice)]!);
    throw refuse(`has a duplicate column "${twice}"`, `add ${choice}`);
  }
  const ignored = names.filter((_, place) => fields[place] === undefined);
  if (ignored.length > 0 && mapped.size === 0) {
    const [unknown = ""] = ignored;
    const phone = fields.includes("phone") ? names[fields.indexOf("phone")]! : "HEADER";
    const [other] = contactColumns.filter((column) => !fields.includes(column)).toReversed();
    const use =
      other === undefined || phone === "HEADER"
        ? ""
        : `${columnOption(other, unknown)} or, to ignore it, `;
    const hint = /^\+?\d/.test(unknown)
      ? "begin the file with a header: phone,first_name,birth_date"
      : `add ${use}${columnOption("phone", phone)}`;
    throw refuse(`has an unknown column "${cut(unknown)}"`, hint);
  }
  if (!fields.includes("phone")) {
    throw refuse('has no "phone" column', `add ${columnOption("phone", "HEADER")}`);
  }
  const used = fields.flatMap((field, place) => (field === undefined ? [] : [{ field, place }]));
  return {
    columns: used.map(({ field }) => field),
    places: used.map(({ place }) => place),
    width,
    ignored,
  };
}

/** Returns the option that reads a field from a column. */
function columnOption(field: string, header: string): string {
  return `--column ${shellWord(`${field}=${header}`)}`;
}

/** Returns the places of the fields that `--column` names. @throws SendctlError "usage" */
function mappedColumns(
  values: readonly string[],
  names: readonly string[],
  found: string,
): ReadonlyMap<ContactColumn, number> {
  const mapped = new Map<ContactColumn, number>();
  for (const value of values) {
    const refuse = (problem: string, hint: string): SendctlError =>
      new SendctlError("usage", `--column ${visibleText(value)}: ${problem}`, {
        hint,
        field: "--column",
      });
    const at = value.indexOf("=");
    const field = contactColumns.find((column) => column === value.slice(0, at));
    if (field === undefined) {
      const fields = contactColumns.join(", ");
      throw refuse("is not FIELD=HEADER", `use one of ${fields}, like phone=Mobile`);
    }
    const header = value.slice(at + 1).trim();
    const exact = names.indexOf(header);
    const place =
      exact >= 0 ? exact : names.findIndex((name) => plainName(name) === plainName(header));
    if (place < 0) throw refuse("the file has no such column", `its columns are ${found}`);
    if (mapped.has(field) || [...mapped.values()].includes(place)) {
      throw refuse("names a field or a column twice", "pass one column for each field");
    }
    mapped.set(field, place);
  }
  return mapped;
}

/**
 * Yields a file as text whose line ends are newlines, so that lines are counted as in an editor. It
 * may begin with a byte order mark.
 *
 * @param refuse returns the error for bytes that are not text
 * @throws that error
 */
async function* textOf(
  input: AsyncIterable<Uint8Array>,
  refuse: (found: { problem: string; hint?: string }, cause?: unknown) => Error,
): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  const decoded = (chunk?: Uint8Array): string => {
    const binary = decoder === undefined && binaryFormat(chunk ?? new Uint8Array());
    if (binary) throw refuse(binary);
    decoder ??= new TextDecoder(encodingOf(chunk), { fatal: true, ignoreBOM: true });
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch (error) {
      throw refuse({ problem: encodingProblem(decoder.encoding) }, error);
    }
  };
  // A carriage return at the end of a chunk may be half of a line end.
  let half = "";
  let start = Buffer.alloc(0);
  for await (const part of input) {
    // The first chunk of a pipe may be less than a byte order mark or another sign.
    if (decoder === undefined) start = Buffer.concat([start, part]);
    if (start.length < 4) continue;
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
async function* startingWith(first: string, others: AsyncIterable<string>): AsyncGenerator<string> {
  yield first;
  yield* others;
}

/** Reads until a text has a whole line, or more characters than a limit. */
async function firstLine(texts: AsyncGenerator<string>, limit: number): Promise<string> {
  let start = "";
  while (!start.includes("\n") && start.length < limit) {
    const { value, done } = await texts.next();
    if (done === true) break;
    start += value;
  }
  return start;
}
