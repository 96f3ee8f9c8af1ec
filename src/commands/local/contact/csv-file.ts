import { isUtf8 } from "node:buffer";
import {
  contactColumns,
  type ContactColumn,
  type ContactLine,
} from "../../../contract/contacts.ts";
import { SendctlError } from "../../../core/error.ts";

/** The columns of a CSV file, and its records as they are read. */
export interface ContactFile {
  readonly columns: readonly ContactColumn[];
  readonly lines: AsyncIterable<readonly ContactLine[]>;
}

/** Limit of a record and of a line, in bytes. A longer one usually means that a quote is missing. */
const maxRecordBytes = 64 * 1024;
const maxRecordText = "64 KiB";

/**
 * Reads CSV (RFC 4180) in UTF-8 with a header and any line ends, in constant memory.
 *
 * @param name the file name in errors
 * @throws SendctlError "usage" for any other content, at once or while the lines are read
 */
export async function readContacts(
  input: AsyncIterable<Uint8Array>,
  name: string,
): Promise<ContactFile> {
  const batches = recordsOf(input, name);
  try {
    const { value: batch } = await batches.next();
    if (batch === undefined) {
      throw refused(name, "is empty", "begin it with a header, such as phone,first_name");
    }
    const [header, ...first] = batch;
    return { columns: columnsOf(header!, name), lines: linesAfter(first, batches, name) };
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
): AsyncGenerator<readonly ContactLine[]> {
  let isEmpty = first.length === 0;
  if (!isEmpty) yield first;
  for await (const lines of others) {
    isEmpty = false;
    yield lines;
  }
  if (isEmpty) {
    throw refused(name, "contains a header and no contacts", "add a line for each contact");
  }
}

/** Returns the error for a file that cannot be imported. @param problem the predicate */
function refused(name: string, problem: string, hint: string, cause?: unknown): SendctlError {
  return new SendctlError("usage", `${name} ${problem}`, { hint, cause });
}

const knownColumns = `use the columns ${contactColumns.join(", ")}`;

/** Reads the header: column names in any order and case. */
function columnsOf({ cells }: ContactLine, name: string): readonly ContactColumn[] {
  const names = cells.map((cell) => cell.trim().toLowerCase());
  const columns = names.map((column, index) => {
    const known = contactColumns.find((name) => name === column);
    if (known === undefined) {
      const isOtherFormat = names.length === 1 && /[;\t|]/.test(column);
      const hint = isOtherFormat ? "separate columns by commas" : knownColumns;
      throw refused(name, `has an unknown column "${shortened(cells[index]!)}"`, hint);
    }
    if (names.indexOf(column) < index) {
      throw refused(name, `has a duplicate column "${known}"`, "remove one");
    }
    return known;
  });
  if (!columns.includes("phone")) throw refused(name, `has no "phone" column`, knownColumns);
  return columns;
}

function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

/** Yields records with the line that each begins on, in batches of one or more. Empty lines are omitted. */
async function* recordsOf(
  input: AsyncIterable<Uint8Array>,
  name: string,
): AsyncGenerator<readonly ContactLine[], void, undefined> {
  const { parse } = await import("csv-parse");
  const parser = parse({
    record_delimiter: "\n",
    relax_column_count: true,
    bom: true,
    max_record_size: maxRecordBytes,
  });
  let batch: ContactLine[] = [];
  let line = 1;
  parser.on("data", (cells: readonly string[]) => {
    if (cells.length > 1 || cells[0] !== "") batch.push({ line, cells });
    line += 1 + lineEndsIn(cells);
  });
  // Errors are reported to the callback of a write. Without a listener the event would end the process.
  parser.on("error", () => {});
  const failure = (error: unknown): SendctlError => {
    const [problem, hint] = explain(error);
    return refused(`${name}, line ${line},`, problem, hint, error);
  };
  const ended = new Promise<void>((resolve, reject) => {
    parser.on("end", resolve).on("error", reject);
  });
  ended.catch(() => {});

  for await (const block of blocksOf(input, name)) {
    await new Promise<void>((resolve, reject) => {
      parser.write(block, (error) => (error ? reject(failure(error)) : resolve()));
    });
    if (batch.length > 0) {
      yield batch;
      batch = [];
    }
  }
  parser.end();
  await ended.catch((error: unknown) => {
    throw failure(error);
  });
  if (batch.length > 0) yield batch;
}

function lineEndsIn(cells: readonly string[]): number {
  return cells.reduce(
    (sum, cell) => sum + (cell.includes("\n") ? cell.split("\n").length - 1 : 0),
    0,
  );
}

/** Translates an error of csv-parse. */
function explain(error: unknown): readonly [problem: string, hint: string] {
  const { code } = error as { readonly code?: string };
  if (code === "CSV_QUOTE_NOT_CLOSED") {
    return ["opens a quote that is never closed", "close the quote"];
  }
  if (code === "CSV_MAX_RECORD_SIZE") {
    return [`begins a record of more than ${maxRecordText}`, "check whether a quote is missing"];
  }
  return ["has a quote within an unquoted field", "double it, and enclose the field in quotes"];
}

const newline = 10;
const carriageReturn = 13;

/**
 * Yields the input as complete lines of UTF-8, and converts every line end to a newline, so that lines are
 * counted as in an editor. No field may contain a line end, so nothing is lost.
 */
async function* blocksOf(input: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  let line = 1;
  const ready = (lines: Buffer): Buffer => {
    const block = withNewlines(lines);
    if (!isUtf8(block) || block.includes(0)) refuseBytes(block, line, name);
    line += countOf(block);
    return block;
  };
  for await (const chunk of input) {
    const bytes = Buffer.concat([rest, chunk]);
    const end = endOfLines(bytes);
    rest = bytes.subarray(end);
    if (end > 0) yield ready(bytes.subarray(0, end));
    if (rest.length > maxRecordBytes) {
      // Binary data is reported as such.
      if (rest.includes(0)) refuseBytes(rest, line, name);
      const problem = `is longer than ${maxRecordText}`;
      throw refused(`${name}, line ${line},`, problem, "check whether it is CSV");
    }
  }
  if (rest.length > 0) yield ready(rest);
}

/** Returns the end of the last complete line. A carriage return at the very end may be half of a line end. */
function endOfLines(bytes: Buffer): number {
  const lastReturn = bytes.subarray(0, -1).lastIndexOf(carriageReturn);
  return Math.max(bytes.lastIndexOf(newline), lastReturn) + 1;
}

function withNewlines(bytes: Buffer): Buffer {
  if (!bytes.includes(carriageReturn)) return bytes;
  return Buffer.from(bytes.toString("latin1").replace(/\r\n?/g, "\n"), "latin1");
}

function countOf(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) count += 1;
  return count;
}

/** Reports the first invalid line. @param first the line number that the block begins with */
function refuseBytes(block: Buffer, first: number, name: string): never {
  const lines = block.toString("latin1").split("\n");
  const index = lines.findIndex(
    (line) => line.includes("\0") || !isUtf8(Buffer.from(line, "latin1")),
  );
  const where = `${name}, line ${first + index},`;
  throw lines[index]!.includes("\0")
    ? refused(where, "contains a NUL byte", "convert the file to CSV in UTF-8")
    : refused(where, "is not UTF-8", "convert the file to UTF-8");
}
