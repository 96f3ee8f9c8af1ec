import type { Runtime } from "../core/runtime.ts";
import { safeLines } from "../core/text.ts";
import type { Printer, FormatName } from "./formats/format.ts";
import {
  type Progress,
  type StatusLine,
  createProgress,
  createStatusLine,
} from "./status/progress.ts";
import { type Style, loadStyle, terminalWidth, wrapLines, pagerOf } from "./terminal.ts";
import type { Write, Writers } from "./writer.ts";

/** How the streams of a command are used. */
export interface ScreenOptions {
  /** Whether only errors are written to stderr. */
  readonly isQuiet: boolean;
  /** Whether nothing is redrawn, and tables have no borders. */
  readonly isPlain: boolean;
  /** Returns whether text is coloured. @param isTerminal whether a terminal shows it */
  readonly takesColour: (isTerminal: boolean) => boolean;
}

/** Milliseconds between two lines of progress where nothing is redrawn. */
const lineInterval = 10_000;

/**
 * Creates what prints data and messages. They share the terminal with progress, so that is removed before them.
 *
 * @param hide removes secrets, which a line break could divide
 */
export function createScreen(
  runtime: Runtime,
  { out, err }: Writers,
  { isQuiet, isPlain, takesColour }: ScreenOptions,
  hide: (text: string) => string,
) {
  const { elapsed } = runtime;
  let progress: Progress | undefined;
  let status: StatusLine | undefined;
  let isRedrawn = false;
  let header = "";
  const isScreen = (): boolean => runtime.stdout.isTTY === true;
  const messageWidth = (): number | undefined => terminalWidth(runtime.stderr);
  const isStderrTerminal = (): boolean => messageWidth() !== undefined;
  const style = (isTerminal: boolean): Promise<Style> => loadStyle(takesColour(isTerminal));
  let linedAt = -lineInterval;
  const rewriteLine: Write = async (text) => {
    if (isQuiet || !isStderrTerminal()) return;
    if (!isPlain) return err.rewriteLine(text);
    if (text === "" || elapsed() - linedAt < lineInterval) return;
    linedAt = elapsed();
    await err.write(`${text}\n`);
  };
  const clearScreen = async (): Promise<void> => {
    if (!isRedrawn) return;
    isRedrawn = false;
    if (!isPlain) await out.clearScreen();
    if (isStderrTerminal() && !isQuiet) await err.write(await wrapLines(header, messageWidth()));
  };
  const printMessage = async (message: string): Promise<void> => {
    const text = await wrapLines(hide(message), messageWidth());
    await progress?.done();
    // Both at once, because the timer of the status line could draw in between.
    await Promise.all([status?.clear(), err.write(text)]);
  };
  const printing =
    (write: Write): Write =>
    async (text) => {
      if (isScreen()) {
        await progress?.done();
        await status?.clear();
        await clearScreen();
      }
      await write(text);
    };
  const print = printing(out.write);
  /** Prints a line on stderr, unless `--quiet` is set. */
  const say = async (line: string | ((style: Style) => string)): Promise<void> => {
    // A reader that has closed stdout needs no more messages.
    if (isQuiet || (out.isGone() && out.failure() === undefined)) return;
    const text = typeof line === "string" ? line : line(await style(isStderrTerminal()));
    await printMessage(`${text}\n`);
  };
  const printer: Printer = {
    print,
    printJson: printing(out.writeJson),
    printRaw: (text) => print(isScreen() ? safeLines(text) : text),
    say: async (line) => {
      await clearScreen();
      await say(line);
    },
    get isScreen() {
      return isScreen();
    },
    now: () => runtime.now() / 1000,
    surface: async () => ({
      width: isPlain ? undefined : terminalWidth(runtime.stdout),
      style: await style(isScreen()),
    }),
  };
  return {
    printer,
    say,
    /** Prints an error on stderr. */
    printError: (line: string) => printMessage(`sendctl: ${line}\n`),
    /**
     * Clears the terminal before the next output, or no longer; without a terminal, output is appended.
     *
     * @param line header to print on the cleared terminal
     */
    redraw: (isDue: boolean, line?: string): void => {
      isRedrawn = isDue && isScreen();
      header = line === undefined ? "" : `${hide(line)}\n`;
    },
    /** Starts to show progress on stderr. */
    progress: (): Progress => (progress = createProgress(createStatusLine(rewriteLine), elapsed)),
    /** Returns the line at the bottom of the terminal that shows what sendctl is waiting for. */
    statusLine: (): StatusLine => (status ??= createStatusLine(rewriteLine)),
    /** Returns whether stderr is a terminal. */
    isStderrTerminal,
    /** Returns whether the last write has shown that the reader of stdout is gone. */
    isUnread: out.isGone,
    /** From now on, a failure to write data ends the command only after what it has done is said. */
    holdFailures: out.holdFailures,
  };
}

/** The longest note that follows a list, of missing records. */
const longestNote = "1 matching record; there may be more without --limit";

const lineOfCursor = 1;

function moreLines(hidden: number): string {
  return `${hidden} more lines do not fit the terminal`;
}

/**
 * Creates the printer of lists: in the pager, or what fits the terminal if they are printed again and again.
 *
 * @param name returns the output format
 * @param isPlain whether nothing is paged
 * @param hide removes secrets
 */
export function createPaging(
  name: () => FormatName,
  isPlain: boolean,
  runtime: Runtime,
  hide: (text: string) => string,
  printer: Printer,
  say: (line: string) => Promise<void>,
) {
  let isRepeated = false;
  let header = "";
  /** Returns the number of lines that messages take, which are wrapped. */
  const heightOf = async (messages: readonly string[]): Promise<number> =>
    (await wrapLines(messages.join("\n"), terminalWidth(runtime.stderr))).split("\n").length;
  /**
   * Prints the lines of a repeated list that fit the terminal, with the lines around it.
   *
   * @param said messages about the list, which are above it
   */
  const printFitting = async (
    text: string,
    said: readonly string[],
    height: number,
  ): Promise<void> => {
    for (const line of said) await printer.say(line);
    const lines = text.split(/(?<=\n)/);
    const moreHeight = await heightOf([moreLines(lines.length)]);
    const around = (await heightOf([header, ...said, longestNote])) + moreHeight + lineOfCursor;
    const hidden = lines.length - Math.max(1, height - around);
    if (hidden <= moreHeight) return printer.print(text);
    await printer.print(lines.slice(0, -hidden).join(""));
    await say(moreLines(hidden - 1));
  };
  return {
    /** Called if lists are printed again and again. @param line the header of the next one */
    repeat: (line = ""): void => {
      isRepeated = true;
      header = line;
    },
    /** Prints a list. */
    show: async (print: (to: Printer) => Promise<void>): Promise<void> => {
      const rows = printer.isScreen ? runtime.stdout.rows || undefined : undefined;
      const height = isRepeated && name() === "table" ? rows : undefined;
      const pager = isRepeated || isPlain ? undefined : pagerOf(runtime);
      if (height === undefined && pager === undefined) return print(printer);
      const texts: string[] = [];
      const said: string[] = [];
      const collect = async (text: string): Promise<void> => void texts.push(text);
      const collecting = { ...printer, print: collect, printJson: collect };
      if (height === undefined) await print(collecting);
      else await print({ ...collecting, say: async (line) => void said.push(line) });
      const text = texts.join("");
      if (height !== undefined) return printFitting(text, said, height);
      // Removes the progress from the terminal.
      await printer.print("");
      if (text !== "" && !(await pager?.(hide(text)))) await printer.print(text);
    },
  };
}
