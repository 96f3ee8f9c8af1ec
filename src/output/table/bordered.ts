import Table from "cli-table3";
import measures from "cli-table3/src/utils.js";
import { padded, widest, type Alignment } from "./display-width.ts";

// cli-table3 measures recent emoji incorrectly and misaligns columns. Cells are already fitted, so
// it never has to truncate them.
measures.strlen = (text) => widest(text.split("\n"));
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
  // One row of tall cells looks the same, because no lines separate rows, and cli-table3 takes 13
  // µs for each cell.
  if (rows.length > 0) table.push(joined(rows));
  return table
    .toString()
    .split("\n")
    .map((line) => line.trimEnd());
}

/** Returns rows as one, each cell as high as the highest of its row. */
function joined(rows: readonly string[][]): string[] {
  const heights = rows.map((row) => Math.max(...row.map(heightOf)));
  return rows[0]!.map((_, column) => {
    const cells = rows.map((row) => row[column]!);
    return cells
      .map((cell, index) => cell + "\n".repeat(heights[index]! - heightOf(cell)))
      .join("\n");
  });
}

function heightOf(cell: string): number {
  return cell.split("\n").length;
}
