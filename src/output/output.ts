import type { Reply } from "../contract/service.ts";
import type { ExitCode } from "./exit-codes.ts";
import type { Progress, StatusLine } from "./status/progress.ts";
import type { Line, RecordSource } from "../service/lines.ts";
import type { Style } from "./terminal.ts";
import type { RecordView } from "./views.ts";
import type { Diagnostic, ErrorKind, Trail } from "../core/error.ts";
import type { Surface } from "./table/table.ts";
import type { Write } from "./writer.ts";

/** The names of the output formats. */
export type FormatName = "table" | "json" | "jsonl" | "csv" | "yaml" | "id" | "markdown";

/** The output of a command. Handles the format, the terminal and unsafe text. */
export interface Output {
  /** Shows a record that was created, fetched or updated. */
  readonly record: (reply: Reply, view: RecordView, options?: ShowOptions) => Promise<ExitCode>;
  /** Shows one page, or a whole list. */
  readonly page: (reply: Reply, view: RecordView, options?: ShowOptions) => Promise<ExitCode>;
  /** Shows all records, as they arrive if the format allows it. */
  readonly stream: (
    source: RecordSource,
    view: RecordView,
    options?: ShowOptions,
  ) => Promise<ExitCode>;
  /** Returns a function that shows records of an endless list. */
  readonly live: (view: RecordView) => Promise<(records: readonly object[]) => Promise<void>>;
  /** Shows the success of an operation without a record. @param text for people (default: the message of the reply) */
  readonly done: (reply: Reply, text?: string) => Promise<ExitCode>;
  /** Shows why the service refused a request. */
  readonly refusal: (reply: Reply, isRemote?: boolean) => Promise<ExitCode>;
  /** Shows any response unchanged, JSON or not. */
  readonly response: (reply: Reply) => Promise<ExitCode>;
  /** Shows the result of a command that is not an operation of the service. */
  readonly report: (report: Report) => Promise<void>;
  /** Shows a completed step immediately, if the format supports it; otherwise the report contains it. */
  readonly event: (record: object, text?: string) => Promise<void>;
  /** The database, if the command works on the embedded engine. */
  readonly database: string | undefined;
  /** The expression of `--query`, which takes every record. */
  readonly query: string | undefined;
  /** Returns whether a text contains a key or a password, which would be hidden if it were printed. */
  readonly hasSecret: (text: string) => boolean;
  /** Prints text that is the same in every format. */
  readonly raw: (text: string) => Promise<void>;
  /**
   * Returns the format: one of the names, or the first of them in place of one that only the environment selects.
   *
   * @param noun for the error: "a plan"
   * @param takesQuery whether `--query` applies (default: true)
   * @throws SendctlError "usage" if it is none of the names
   */
  readonly supports: <Name extends FormatName>(
    noun: string,
    names: readonly Name[],
    takesQuery?: boolean,
  ) => Name;
  /** Prints a line on stderr, unless `--quiet` is set. */
  readonly say: (line: string | ((style: Style) => string)) => Promise<void>;
  /** Prints a warning on stderr, unless `--quiet` is set. */
  readonly warn: (line: string) => Promise<void>;
  /** Prints an error on stderr. */
  readonly printError: (line: string) => Promise<void>;
  /** From now on, a failure to write data ends the command only after what it has done is said. */
  readonly holdFailures: () => void;
  /**
   * Clears the terminal before the next output, or no longer; without a terminal, output is appended.
   *
   * @param header line to print on the cleared terminal
   */
  readonly redraw: (isDue: boolean, header?: string) => void;
  /** Starts to show progress on stderr. */
  readonly progress: () => Progress;
  /** Returns the line at the bottom of the terminal that shows what sendctl is waiting for. */
  readonly statusLine: () => StatusLine;
  /** Returns whether stderr is a terminal. */
  readonly isStderrTerminal: () => boolean;
  /** Prints errors in files for GitHub Actions, if that runs the command. */
  readonly annotate: (diagnostics: readonly Diagnostic[]) => Promise<void>;
  /** Returns whether the last write has shown that the reader of stdout is gone. */
  readonly isUnread: () => boolean;
}

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
  /** Columns of the terminal that shows the data; undefined for a pipe or a file. */
  readonly width: number | undefined;
  /** Whether a terminal shows the data. */
  readonly isScreen: boolean;
  /** Milliseconds since 1970. */
  readonly now: () => number;
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
interface ShowOptions {
  /** Message for an empty list (default: how to create a record). */
  readonly nothing?: string;
  /** Whether the message of a record, an incomplete page or an empty list is mentioned on stderr (default: true). */
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
  /** Returns the same content as Markdown. @param data that of the report, without secrets */
  readonly markdown?: (data: unknown) => Iterable<string>;
  /** The same content as records, for formats that consist of records and for tables without a text. */
  readonly records?: { readonly items: Iterable<object>; readonly view: RecordView };
}

/** The error of a failed command. Its message is that of the report. */
export interface ReportedError {
  readonly kind: ErrorKind;
  readonly httpStatus?: number | undefined;
  readonly hint?: string | undefined;
  readonly trail?: Trail | undefined;
  /** Additional fields of the error object. */
  readonly details?: object;
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
  /** Whether a list must be complete before its first record can be printed. Other formats print `lines`. */
  readonly needsAll?: true;
  /** Returns the text of records as they arrive. */
  readonly lines: (view: RecordView, printer: Printer) => Lines | Promise<Lines>;
  readonly report: (report: Report, printer: Printer) => Promise<void>;
  /** Prints a completed step. Without this function, the report at the end prints all steps. */
  readonly event?: (record: object, text: string | undefined, printer: Printer) => Promise<void>;
}
