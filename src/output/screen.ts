import type { Output, Printer } from "./output.ts";
import { safeLines } from "../core/text.ts";
import { createProgress, createStatusLine, type Progress, type StatusLine } from "./progress.ts";
import { wrapLines, type Style } from "./terminal.ts";
import type { Write, Writer } from "./writer.ts";

/** The streams that output goes to, and their properties. */
export interface Channels {
  readonly out: Writer;
  readonly err: Writer;
  /** Columns of the terminal that shows stdout; undefined if it is not a terminal. */
  readonly width: () => number | undefined;
  /** Columns of the terminal that shows stderr; undefined if it is not a terminal. */
  readonly messageWidth: () => number | undefined;
  /** Returns the colours. @param isTerminal whether a terminal shows the text */
  readonly style: (isTerminal: boolean) => Promise<Style>;
  /** Monotonic time in milliseconds. */
  readonly elapsed: () => number;
}

/** Everything that prints on the terminal, data or messages. */
interface Screen extends Pick<
  Output,
  "say" | "printError" | "redraw" | "progress" | "statusLine" | "isStderrTerminal" | "isUnread"
> {
  readonly printer: Printer;
}

/**
 * Creates what prints data and messages. They share the terminal with progress, so that is removed before them.
 *
 * @param isQuiet whether only errors are written to stderr
 */
export function createScreen(isQuiet: boolean, channels: Channels): Screen {
  const { out, err, width, messageWidth, style, elapsed } = channels;
  let progress: Progress | undefined;
  let status: StatusLine | undefined;
  let isRedrawn = false;
  const isStderrTerminal = (): boolean => messageWidth() !== undefined;
  const rewriteLine: Write = async (text) => {
    if (!isQuiet) await err.rewriteLine(text);
  };
  const clearScreen = async (): Promise<void> => {
    if (!isRedrawn) return;
    isRedrawn = false;
    await out.clearScreen();
  };
  const printMessage = async (message: string): Promise<void> => {
    const text = await wrapLines(message, messageWidth());
    await progress?.done();
    await clearScreen();
    // Both at once, because the timer of the status line could draw in between.
    await Promise.all([status?.clear(), err.write(text)]);
  };
  const printing =
    (write: Write): Write =>
    async (text) => {
      if (width() !== undefined) {
        await progress?.done();
        await status?.clear();
        await clearScreen();
      }
      await write(text);
    };
  const print = printing(out.write);
  const say: Screen["say"] = async (line) => {
    // The reader has closed stdout and needs no more messages.
    if (isQuiet || out.isGone()) return;
    const text = typeof line === "string" ? line : line(await style(isStderrTerminal()));
    await printMessage(`${text}\n`);
  };
  return {
    say,
    printError: (line) => printMessage(`sendctl: ${line}\n`),
    redraw: () => void (isRedrawn = width() !== undefined),
    progress: () =>
      (progress = createProgress(createStatusLine(rewriteLine), elapsed, isStderrTerminal)),
    statusLine: () => (status ??= createStatusLine(rewriteLine)),
    isStderrTerminal,
    isUnread: out.isGone,
    printer: {
      print,
      printJson: printing(out.writeJson),
      printRaw: (text) => print(width() === undefined ? text : safeLines(text)),
      say,
      get width() {
        return width();
      },
      surface: async () => ({ width: width(), style: await style(width() !== undefined) }),
    },
  };
}
