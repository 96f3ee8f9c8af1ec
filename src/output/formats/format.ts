import type { ErrorKind } from "../../contract/error.ts";
import type { Reply } from "../../contract/service.ts";
import type { Line } from "../replies.ts";
import type { Style } from "../style.ts";
import type { Surface } from "../table/table.ts";
import type { RecordView } from "../views.ts";
import type { Write } from "../writer.ts";

/** What a format writes on. */
export interface Sheet {
  /** Prints data. */
  readonly print: Write;
  /** Prints JSON. */
  readonly printJson: Write;
  /** Prints a line for people on stderr. */
  readonly say: (line: string) => Promise<void>;
  /** Columns of the terminal that shows the data; undefined for a pipe or a file. */
  readonly width: number | undefined;
  /** Colours of the data; loaded when first used. */
  readonly style: () => Promise<Style>;
}

/** Records written one after the other, any number at a time. */
export interface Lines {
  /** Returns what precedes the first record. @param first undefined for an empty list */
  readonly head: (first: Line | undefined) => string;
  readonly lines: (lines: readonly Line[]) => string;
}

export interface RecordOptions {
  /** Whether people read the message of the reply, too (default: true). */
  readonly isNarrated?: boolean;
}

export interface PageOptions {
  /** What people read where the list is empty (default: how to create a record). */
  readonly nothing?: string;
  /** Whether people read which page it is, or that the list is empty (default: true). */
  readonly isNarrated?: boolean;
}

/** What a command shows that is neither a record nor a list of the service. */
export interface Report {
  readonly message: string;
  readonly data: unknown;
  /** False where something is wrong (default: whether there is no error). */
  readonly status?: boolean;
  readonly error?: ReportedError;
  /** For people, with its line ends. */
  readonly text?: string | ((surface: Surface) => Iterable<string> | Promise<Iterable<string>>);
  /** The same as records, for formats that consist of records and for tables without a text. */
  readonly records?: { readonly items: Iterable<object>; readonly view: RecordView };
}

/** What a command failed with. The message is the report's. */
export interface ReportedError {
  readonly kind: ErrorKind;
  readonly httpStatus?: number | undefined;
  readonly hint?: string | undefined;
  /** Further fields of the error object. */
  readonly details?: object;
}

/** One way to print what commands show. */
export interface Format {
  /** Whether all that it prints is JSON. */
  readonly isJson?: true;
  /** Prints a whole envelope; only a format that prints everything as envelopes has it. */
  readonly envelope?: (json: string, sheet: Sheet) => Promise<void>;
  /** Prints the record of a reply. */
  readonly record: (
    reply: Reply,
    view: RecordView,
    sheet: Sheet,
    options?: RecordOptions,
  ) => Promise<void>;
  /** Prints the page of a reply. */
  readonly page: (
    reply: Reply,
    view: RecordView,
    sheet: Sheet,
    options: PageOptions,
  ) => Promise<void>;
  /** Whether a list has to be read to its end before the first record can be printed. */
  readonly needsWholeList: boolean;
  /** Writes records while they arrive. */
  readonly lines: (view: RecordView, sheet: Sheet) => Lines | Promise<Lines>;
  readonly report: (report: Report, sheet: Sheet) => Promise<void>;
  /** Prints a step that was taken. Without it, steps are printed by the report that follows. */
  readonly event?: (record: object, text: string | undefined, sheet: Sheet) => Promise<void>;
}
