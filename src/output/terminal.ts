import type { OutputStream, Runtime } from "../core/runtime.ts";

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

/** Matches a hint with a command of sendctl. */
const command = /^hint: .*\bsendctl [a-z]/;

/**
 * Wraps the lines of a text between words. A terminal breaks lines within words. A hint with a
 * command stays on one line, so that the command can be copied.
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
