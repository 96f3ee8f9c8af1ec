import type { Runtime } from "../core/runtime.ts";
import { safeLines } from "../core/text.ts";
import type { Printer } from "./formats/format.ts";
import {
  type Progress,
  type StatusLine,
  createProgress,
  createStatusLine,
} from "./status/progress.ts";
import {
  type Style,
  loadStyle,
  terminalWidth,
  wrapLines,
  pagerOf,
  type Write,
  type Writers,
} from "./terminal.ts";

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
 * Creates a printer of data and messages, before which it removes the progress.
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
    if (isQuiet || out.isUnheeded()) return;
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
     * Clears the terminal before the next output, or no longer.
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
    /** From now on, failed writes of data end the command only after it has said what was done. */
    holdFailures: out.holdFailures,
  };
}

/**
 * Creates the printer of lists, which uses the pager.
 *
 * @param isPlain whether nothing is paged
 * @param hide removes secrets
 */
export function createPaging(
  isPlain: boolean,
  runtime: Runtime,
  hide: (text: string) => string,
  printer: Printer,
) {
  let isRepeated = false;
  return {
    /** Called if lists are printed again and again, which are not paged. */
    repeat: (): void => {
      isRepeated = true;
    },
    /** Prints a list. */
    show: async (print: (to: Printer) => Promise<void>): Promise<void> => {
      const pager = isRepeated || isPlain ? undefined : pagerOf(runtime);
      if (pager === undefined) return print(printer);
      const texts: string[] = [];
      const collect = async (text: string): Promise<void> => void texts.push(text);
      await print({ ...printer, print: collect, printJson: collect });
      const text = texts.join("");
      // Removes the progress from the terminal.
      await printer.print("");
      if (text !== "" && !(await pager(hide(text)))) await printer.print(text);
    },
  };
}
