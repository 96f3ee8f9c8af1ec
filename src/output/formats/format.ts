import type { Reply } from "../../contract/service.ts";
import { type ErrorKind, SendctlError, type ErrorDetails } from "../../core/error.ts";
import { orList } from "../../core/text.ts";
import type { Line } from "../../service/lines.ts";
import type { Surface } from "../table/table.ts";
import type { RecordView } from "../views.ts";
import type { Write } from "../writer.ts";

/** The names of the output formats. */
export type FormatName = "table" | "json" | "jsonl" | "csv" | "yaml" | "id" | "markdown";

/** Prints for a format: data on stdout, messages on stderr. */
export interface Printer {
  /** Prints data. */
  readonly print: Write;
  /** Prints JSON. */
  readonly printJson: Write;
  /** Prints text from outside, whose colours and tabs a terminal would interpret. */
  readonly printRaw: Write;
  /** Prints a message on stderr. */
  readonly say: (line: string) => Promise<void>;
  /** Whether a terminal shows the data. */
  readonly isScreen: boolean;
  /** Returns the width and the colours of the data, which are loaded when first used. */
  readonly surface: () => Promise<Surface>;
}

/** Text of records that are written in batches of any size. */
export interface Lines {
  /** Returns the text before the first record. @param first undefined for an empty list */
  readonly head?: (first: Line | undefined) => string;
  readonly lines: (lines: readonly Line[]) => string;
}

/** A complete list, or a page of one. */
interface RecordList {
  readonly message: string;
  /** Number of its records, and of those on all pages. */
  readonly count: number;
  readonly total: number;
  /** Its records, which may be parsed each time they are read. */
  readonly lines: Iterable<Line>;
  /** The envelope of a page as the service sent it. */
  readonly text?: string;
}

/** What is printed besides records. */
export interface ShowOptions {
  /** Message for an empty list (default: how to create a record). */
  readonly nothing?: string;
  /** Whether stderr mentions a message, an incomplete page or an empty list (default: true). */
  readonly isNarrated?: boolean;
  /** What was done with a record, for people: "created" (default: the message of the service). */
  readonly done?: string;
}

/** Output of a command that is neither a record nor a list of the service. */
export interface Report {
  readonly message: string;
  readonly data: unknown;
  /** Status of the envelope (default: false with an error, else true). */
  readonly status?: boolean;
  readonly error?: ReportedError;
  /** Whether JSON is one line, for a script that waits for it on a pipe (default: false). */
  readonly isOneLine?: boolean;
  /** Text of the table format, with line ends. */
  readonly text?: string | ((surface: Surface) => Iterable<string> | Promise<Iterable<string>>);
  /** Returns the content as Markdown (default: the records). @param data without secrets */
  readonly markdown?: (data: unknown) => Iterable<string>;
  /** The same content as records, for formats of records and for tables without a text. */
  readonly records?: { readonly items: Iterable<object>; readonly view: RecordView };
}

/** The error of a failed command. Its message is that of the report. */
export interface ReportedError {
  readonly kind: ErrorKind;
  readonly hint?: string | undefined;
  readonly details?: ErrorDetails;
  /** Additional fields of the error object. */
  readonly fields?: object;
}

/** Prints a record or a list. */
type Show<Content> = (
  content: Content,
  view: RecordView,
  printer: Printer,
  options: ShowOptions,
) => Promise<void>;

/** An output format. */
export interface Format {
  /** Whether everything that it prints is JSON. */
  readonly isJson?: true;
  /** Prints an envelope. Only formats that print everything as envelopes have it. */
  readonly envelope?: (json: string, printer: Printer) => Promise<void>;
  /** Prints the record of a reply. */
  readonly record: Show<Reply>;
  readonly list: Show<RecordList>;
  /** Whether a list must be complete before it is printed. Other formats print `lines`. */
  readonly needsAll?: true;
  /** Returns the text of records as they arrive. */
  readonly lines: (view: RecordView, printer: Printer) => Lines | Promise<Lines>;
  readonly report: (report: Report, printer: Printer) => Promise<void>;
  /** Prints a completed step. Without this function, the report at the end prints all steps. */
  readonly event?: (record: object, text: string | undefined, printer: Printer) => Promise<void>;
}

/** Returns the error for output that --query does not apply to. @param noun the output: "a plan" */
export function queryRefusal(noun: string): SendctlError {
  const details = { hint: "omit --query", field: "--query" };
  return new SendctlError("usage", `--query does not apply to ${noun}`, details);
}

/** Returns the error for output that a format does not support. @param noun "a plan" */
export function formatRefusal(
  noun: string,
  name: string,
  supported: readonly string[],
): SendctlError {
  const hint = `use --output ${orList(supported)}`;
  return new SendctlError("usage", `${noun} cannot be printed as ${name}`, { hint });
}
