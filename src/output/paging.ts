import type { Runtime } from "../core/runtime.ts";
import type { FormatName, Printer } from "./formats/format.ts";
import { pagerOf, terminalWidth, wrapLines } from "./terminal.ts";

/** The longest note that follows a list, of missing records. */
const longestNote = "1 matching record; there may be more without --limit";

const lineOfCursor = 1;

function moreLines(hidden: number): string {
  return `${hidden} more lines do not fit the terminal`;
}

/**
 * Creates what prints lists: in the pager, or what fits the terminal if they are printed again and again.
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
