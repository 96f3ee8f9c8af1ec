import type { OutputStream, Runtime } from "../core/runtime.ts";
import { SendctlError } from "../core/error.ts";
import { safeJson, safeOnScreen } from "../core/text.ts";
import type { Secrets } from "../core/secrets.ts";

/** Colours by meaning. Without colours, each function returns its text unchanged. */
export interface Style {
  readonly heading: (text: string) => string;
  readonly faint: (text: string) => string;
  readonly good: (text: string) => string;
  readonly waiting: (text: string) => string;
  readonly bad: (text: string) => string;
}

const same = (text: string): string => text;

const plainStyle: Style = { heading: same, faint: same, good: same, waiting: same, bad: same };

/** Returns the colours. Loads chalk only if they are used. */
export async function loadStyle(colour: boolean): Promise<Style> {
  if (!colour) return plainStyle;
  const { Chalk } = await import("chalk");
  const { bold, dim, green, yellow, red } = new Chalk({ level: 1 });
  return { heading: bold, faint: dim, good: green, waiting: yellow, bad: red };
}

/** Columns of a terminal that does not report its width. */
export const defaultWidth = 80;

/** Returns the columns of the terminal that shows a stream; undefined if it is not a terminal. */
export function terminalWidth({ isTTY, columns }: OutputStream): number | undefined {
  return isTTY === true ? columns || defaultWidth : undefined;
}

/** Columns for the descriptions in help, beside their terms. Narrower terminals wrap lines. */
export const minHelpWidth = 24;

/** Matches a line with a command of sendctl to copy. */
const command = /^\$ sendctl |(?:^hint: .*|: )\bsendctl [a-z]/;

/**
 * Wraps the lines of a text between words. A terminal breaks lines within words. A line with a
 * command stays whole, so that the command can be copied.
 *
 * @param width columns of the terminal; undefined for a pipe or a file, where nothing is wrapped
 */
export async function wrapLines(text: string, width: number | undefined): Promise<string> {
  if (width === undefined) return text;
  const lines = text.split("\n");
  // No character is wider than two columns.
  if (lines.every((line) => line.length * 2 <= width)) return text;
  const { prepareToMeasure, wrapLine } = await import("./table/display-width.ts");
  await prepareToMeasure(lines);
  return lines.flatMap((line) => (command.test(line) ? [line] : wrapLine(line, width))).join("\n");
}

/** Shows a text to the reader. Returns false if that was not possible. */
export type Pager = (text: string) => Promise<boolean>;

/** Returns SENDCTL_PAGER or PAGER, a shell command; undefined if stdout is not a terminal. */
export function pagerOf(runtime: Runtime): Pager | undefined {
  const { env, stdout } = runtime;
  const command = (env["SENDCTL_PAGER"] ?? env["PAGER"] ?? "").trim();
  if (command === "" || command === "cat" || stdout.isTTY !== true || env["CI"]) return undefined;
  return async (text) => {
    const { showInPager } = await import("./pager.ts");
    return showInPager(command, text, runtime);
  };
}

/** Writes text. Resolves when it was written, or immediately if the reader is gone. */
export type Write = (text: string) => Promise<void>;

/** The only way to write to stdout and stderr: removes secrets, escapes control characters. */
export type Writer = ReturnType<typeof createWriter>;

/**
 * Creates a writer on a stream. If the reader is gone (EPIPE), the rest is dropped without an
 * error. Any other failure, such as a full disk, is an error.
 *
 * @param isData false for messages to the user, which may be lost without an error and are always
 *   made safe to show
 */
export function createWriter(
  stream: () => OutputStream,
  isData: boolean,
  { hide, hideJson }: Pick<Secrets, "hide" | "hideJson">,
) {
  let opened: OutputStream | undefined;
  let isGone = false;
  let holds = false;
  let failure: SendctlError | undefined;
  const open = (): OutputStream => {
    if (opened !== undefined) return opened;
    opened = stream();
    // Each write handles its error; without a listener, the event would crash the process.
    opened.on("error", () => {});
    return opened;
  };
  /** Data for a pipe or file is not escaped. */
  const isShown = (): boolean => !isData || open().isTTY === true;
  const send = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      open().write(text, (error) => {
        if (!error) return resolve();
        isGone = true;
        const { code = "" } = error as NodeJS.ErrnoException;
        if (closedPipeCodes.has(code) || !isData) return resolve();
        const message = `cannot write to standard output: ${error.message}`;
        const hint = "the command was carried out; only its output is lost";
        const details = holds ? { cause: error, hint } : { cause: error };
        failure = new SendctlError("output", message, details);
        if (holds) resolve();
        else reject(failure);
      });
    });
  const writing =
    (filter: (text: string) => string): Write =>
    (text) =>
      isGone || text === "" ? Promise.resolve() : send(filter(text));

  return {
    write: writing((text) => (isShown() ? safeOnScreen(hide(text)) : hide(text))),
    /** Writes JSON. It stays valid JSON without the secrets. */
    writeJson: writing((json) => (isShown() ? safeJson(hideJson(json)) : hideJson(json))),
    /** Replaces the current line of progress; "" removes it. */
    rewriteLine: async (text: string): Promise<void> => {
      if (!isGone) await send(`\r\u001b[K${safeOnScreen(hide(text))}`);
    },
    /** Clears the terminal before a redraw. */
    clearScreen: async (): Promise<void> => {
      if (!isGone) await send("\u001b[H\u001b[J");
    },
    /** Returns whether the reader is gone or a write has failed. */
    isGone: (): boolean => isGone,
    /** Returns whether a reader that has closed a pipe needs no more messages: nothing changes. */
    isUnheeded: (): boolean => isGone && failure === undefined && !holds,
    /** From now on, failures end no write: a command that changes something says what it did. */
    holdFailures: (): void => {
      holds = true;
    },
    /** Returns the failure that was held. */
    failure: (): SendctlError | undefined => (holds ? failure : undefined),
  };
}

/** Windows reports EOF where other systems report EPIPE. */
const closedPipeCodes = new Set(["EPIPE", "EOF", "ERR_STREAM_DESTROYED", "ECONNRESET"]);

/** The writers of a process. They precede the settings, whose errors they report. */
export interface Writers {
  readonly out: Writer;
  readonly err: Writer;
}

/** Creates the writers of standard output and standard error. */
export function createWriters(runtime: Runtime, secrets: Secrets): Writers {
  return {
    out: createWriter(() => runtime.stdout, true, secrets),
    err: createWriter(() => runtime.stderr, false, secrets),
  };
}
