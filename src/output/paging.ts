import type { FormatName, Printer } from "./output.ts";
import type { Secrets } from "./secrets.ts";
import type { Pager } from "./terminal.ts";

interface PagingOptions {
  readonly secrets: Secrets;
  /** What shows lists at a terminal, if the user has chosen a pager. */
  readonly pager: Pager | undefined;
  /** Returns the height of the terminal in lines; undefined without one. */
  readonly height: () => number | undefined;
}

/** Lines around a list that is repeated: its target and time, those that do not fit, omitted columns, missing records, and
 * the cursor. */
const aroundList = 5;

/** Creates what prints lists: in the pager, or what fits the terminal if they are printed again and again. */
export function createPaging(
  name: () => FormatName,
  { secrets, pager, height: rows }: PagingOptions,
  printer: Printer,
  say: (line: string) => Promise<void>,
) {
  let isRepeated = false;
  /** Prints the lines of a repeated list that fit the terminal, with the lines around it. */
  const printFitting = async (text: string, height: number): Promise<void> => {
    const lines = text.split(/(?<=\n)/);
    const hidden = lines.length - Math.max(1, height - aroundList);
    if (hidden <= 1) return printer.print(text);
    await printer.print(lines.slice(0, -hidden).join(""));
    await say(`${hidden - 1} more lines do not fit the terminal`);
  };
  return {
    /** Called if lists are printed again and again. */
    repeat: (): void => {
      isRepeated = true;
    },
    /** Prints a list. */
    show: async (print: (to: Printer) => Promise<void>): Promise<void> => {
      const height = isRepeated && name() === "table" ? rows() : undefined;
      const shownBy = isRepeated ? undefined : pager;
      if (height === undefined && shownBy === undefined) return print(printer);
      const texts: string[] = [];
      const collect = async (text: string): Promise<void> => void texts.push(text);
      await print({ ...printer, print: collect, printJson: collect });
      const text = texts.join("");
      if (height !== undefined) return printFitting(text, height);
      // Removes the progress from the terminal.
      await printer.print("");
      if (text !== "" && !(await shownBy?.(secrets.hide(text)))) await printer.print(text);
    },
  };
}
