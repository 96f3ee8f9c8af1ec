import type { Reply } from "../contract/service.ts";
import type { ExitCode } from "./exit-codes.ts";
import type { PageOptions, RecordOptions, Report } from "./formats/format.ts";
import type { FormatName } from "./formats/formats.ts";
import type { Progress, StatusLine } from "./progress.ts";
import type { Line } from "./replies.ts";
import type { Style } from "./style.ts";
import type { RecordView } from "./views.ts";

/** Every record of a list, to be read in one of two ways. */
export interface RecordSource {
  /** Reads all of them, as a reply of one page; a refusal as it came. */
  readonly whole: () => Promise<Reply>;
  /** Reads them while they are shown. @returns the refusal that ended it, if one did */
  readonly each: (show: (lines: readonly Line[]) => Promise<void>) => Promise<Reply | undefined>;
}

/** The one way to show something. It alone knows the format, the terminal and which text is safe. */
export interface Output {
  /** Shows a record that was created, fetched or updated. */
  readonly record: (reply: Reply, view: RecordView, options?: RecordOptions) => Promise<ExitCode>;
  /** Shows one page, or a whole list. */
  readonly page: (reply: Reply, view: RecordView, options?: PageOptions) => Promise<ExitCode>;
  /** Shows every record, while they are read where the format allows it. */
  readonly stream: (
    source: RecordSource,
    view: RecordView,
    options?: PageOptions,
  ) => Promise<ExitCode>;
  /** Returns what shows records of a list that never ends. */
  readonly live: (view: RecordView) => Promise<(records: readonly object[]) => Promise<void>>;
  /** Shows that something was done which leaves nothing to show. */
  readonly done: (reply: Reply) => Promise<ExitCode>;
  /** Ends a command whose confirmation was declined. @param message what was not done @throws SendctlError "cancelled" */
  readonly declined: (message: string) => Promise<never>;
  /** Shows what the service refused, and why. */
  readonly refusal: (reply: Reply) => Promise<ExitCode>;
  /** Shows any response, JSON or not, as it came. */
  readonly response: (reply: Reply) => Promise<ExitCode>;
  /** Shows the result of a command that is not an operation of the service. */
  readonly report: (report: Report) => Promise<void>;
  /** Shows a step that was taken, where the format does not show all of them in a report. */
  readonly event: (record: object, text?: string) => Promise<void>;
  /** Prints text that is the same in every format. */
  readonly raw: (text: string) => Promise<void>;
  /** @param what a noun phrase, for the error: "a plan" @throws SendctlError "usage" in other formats */
  readonly supports: (what: string, names: readonly FormatName[]) => void;
  /** Returns what belongs to the format. @throws SendctlError "usage" in a format that has no choice */
  readonly choose: <Choice>(
    what: string,
    choices: Readonly<Partial<Record<FormatName, Choice>>>,
  ) => Choice;
  /** A line for people on stderr; nothing under `--quiet`. */
  readonly say: (line: string | ((style: Style) => string)) => Promise<void>;
  /** Something to look at that stops nothing; nothing under `--quiet`. */
  readonly warn: (line: string) => Promise<void>;
  /** Why something was not done, a line on stderr. */
  readonly complain: (line: string) => Promise<void>;
  /** Has what is shown next replace all that a terminal shows; elsewhere it is appended. */
  readonly redraw: () => void;
  /** Begins to show progress on stderr. */
  readonly progress: () => Progress;
  /** The line at the bottom of the terminal that says what is being waited for. */
  readonly statusLine: () => StatusLine;
  /** Whether stderr is a terminal. */
  readonly isWatched: () => boolean;
  /** Whether nobody reads standard output any more, as far as the last write could tell. */
  readonly isUnread: () => boolean;
}
