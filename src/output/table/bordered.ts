import Table from "cli-table3";
import measures from "cli-table3/src/utils.js";
import { displayWidth, padded, type Alignment } from "./display-width.ts";

// cli-table3 measures recent emoji incorrectly and misaligns columns. Cells are already fitted, so it never has to
// truncate them.
measures.strlen = (text) => Math.max(...text.split("\n").map(displayWidth));
measures.truncate = (text) => text;
measures.pad = (text, width, _filler, alignment) => padded(text, width, alignment as Alignment);

/**
 * Returns the lines of a table with borders.
 *
 * @param rows cells of one or more lines, each no wider than its column
 * @param widths in columns, without padding
 * @param head labels of the columns; empty for none
 */
export function bordered(
  rows: readonly string[][],
  widths: readonly number[],
  aligns: readonly Alignment[],
  head: string[] = [],
): string[] {
  const padding = 1;
  const table = new Table({
    head,
    colWidths: widths.map((columnWidth) => columnWidth + 2 * padding),
    colAligns: [...aligns],
    style: {
      head: [],
      border: [],
      "padding-left": padding,
      "padding-right": padding,
      compact: true,
    },
  });
  table.push(...rows);
  return table
    .toString()
    .split("\n")
    .map((line) => line.trimEnd());
}
