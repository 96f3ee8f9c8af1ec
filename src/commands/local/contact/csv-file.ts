import { finished } from "node:stream/promises";
import {
  contactColumns,
  type ContactColumn,
  type ContactLine,
} from "../../../contract/contacts.ts";
import { SendctlError } from "../../../core/error.ts";
import { cut } from "../../../core/text.ts";

/** Limit of a record in characters. A longer one usually means that a quote is missing. */
const maxRecordSize = 64 * 1024;

/**
 * Reads CSV (RFC 4180) in UTF-8 with a header and any line ends, in constant memory.
 *
 * @param name the file name in errors
 * @returns the columns, and the records as they are read
 * @throws SendctlError "usage" for any other content, at once or while the lines are read
 */
export async function readContacts(input: AsyncIterable<Uint8Array>, name: string) {
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
      throw refused(name, `has an unknown column "${cut(cells[index]!)}"`, hint);
    }
    if (names.indexOf(column) < index) {
      throw refused(name, `has a duplicate column "${known}"`, "remove one");
    }
    return known;
  });
  if (!columns.includes("phone")) throw refused(name, `has no "phone" column`, knownColumns);
  return columns;
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
    max_record_size: maxRecordSize,
  });
  let batch: ContactLine[] = [];
  let line = 1;
  parser.on("data", (cells: readonly string[]) => {
    if (cells.length > 1 || cells[0] !== "") batch.push({ line, cells });
    line += cells.join("").split("\n").length;
  });
  // Errors are reported to the callback of a write. Without a listener the event would end the process.
  parser.on("error", () => {});
  const failure = (error: unknown): SendctlError => {
    const [problem, hint] = explain(error);
    return refused(`${name}, line ${line},`, problem, hint, error);
  };

  for await (const text of textOf(input, name)) {
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

/** Yields the input as text whose line ends are newlines, so that lines are counted as in an editor. */
async function* textOf(input: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const decoded = (chunk?: Uint8Array): string => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch (error) {
      throw refused(name, "is not UTF-8", "convert the file to UTF-8", error);
    }
  };
  // A carriage return at the end of a chunk may be half of a line end.
  let half = "";
  for await (const chunk of input) {
    const text = half + decoded(chunk);
    half = text.endsWith("\r") ? "\r" : "";
    yield withNewlines(half === "" ? text : text.slice(0, -1));
  }
  yield withNewlines(half + decoded());
}

function withNewlines(text: string): string {
  return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
}
