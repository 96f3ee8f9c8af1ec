import type { Report, ShowOptions } from "./formats/format.ts";
import type { Reply } from "../contract/service.ts";
import type { ExitCode } from "./exit-codes.ts";
import type { FormatName } from "./formats/formats.ts";
import type { Progress, StatusLine } from "./progress.ts";
import type { RecordSource } from "../service/lines.ts";
import type { Style } from "./terminal.ts";
import type { RecordView } from "./views.ts";

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
  /** Shows the success of an operation without a record. */
  readonly done: (reply: Reply) => Promise<ExitCode>;
  /** Ends a command after a declined confirmation. @param message what was not done @throws SendctlError "cancelled" */
  readonly declined: (message: string) => Promise<never>;
  /** Shows why the service refused a request. */
  readonly refusal: (reply: Reply) => Promise<ExitCode>;
  /** Shows any response unchanged, JSON or not. */
  readonly response: (reply: Reply) => Promise<ExitCode>;
  /** Shows the result of a command that is not an operation of the service. */
  readonly report: (report: Report) => Promise<void>;
  /** Shows a completed step immediately, if the format supports it; otherwise the report contains it. */
  readonly event: (record: object, text?: string) => Promise<void>;
  /** Prints text that is the same in every format. */
  readonly raw: (text: string) => Promise<void>;
  /** @param noun a noun phrase, for the error: "a plan" @throws SendctlError "usage" in other formats */
  readonly supports: (noun: string, names: readonly FormatName[]) => void;
  /** Returns the choice for the format. @throws SendctlError "usage" if there is none */
  readonly choose: <Choice>(
    noun: string,
    choices: Readonly<Partial<Record<FormatName, Choice>>>,
  ) => Choice;
  /** Prints a line on stderr, unless `--quiet` is set. */
  readonly say: (line: string | ((style: Style) => string)) => Promise<void>;
  /** Prints a warning on stderr, unless `--quiet` is set. */
  readonly warn: (line: string) => Promise<void>;
  /** Prints an error on stderr. */
  readonly printError: (line: string) => Promise<void>;
  /** Clears the terminal before the next output; without a terminal, output is appended. */
  readonly redraw: () => void;
  /** Starts to show progress on stderr. */
  readonly progress: () => Progress;
  /** Returns the line at the bottom of the terminal that shows what sendctl is waiting for. */
  readonly statusLine: () => StatusLine;
  /** Returns whether stderr is a terminal. */
  readonly isStderrTerminal: () => boolean;
  /** Returns whether the last write has shown that the reader of stdout is gone. */
  readonly isUnread: () => boolean;
}
