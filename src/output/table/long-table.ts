import type { Style } from "../style.ts";
import { displayWidth, padded, prepareToMeasure, type Alignment } from "./display-width.ts";
import { maxAlignedWidth, painted, plainRow, type Cell, type Column } from "./table.ts";

/** A plain table whose rows are in a temporary file until the widths of its columns are known. */
interface LongTable {
  /** Returns the text of rows for the file. */
  readonly text: (rows: readonly (readonly Cell[])[]) => Promise<string>;
  /** Yields the table. @param pieces the text in the file, in pieces of whole lines */
  readonly lines: (pieces: Iterable<string>) => Generator<string>;
}

/** Separates cells in the file. Cells are safe text, so they contain no control characters except colours. */
const cellEnd = "\t";

/** Precedes the width of a cell whose width is not its length. */
const widthMark = "\r";

/** @param hasHeader whether the labels of the columns are printed */
export function longTable(columns: readonly Column[], style: Style, hasHeader: boolean): LongTable {
  const widths = columns.map(({ label }) => (hasHeader ? displayWidth(label) : 0));
  const aligns = columns.map(({ align }): Alignment => align ?? "left");

  const fileCell = (cell: Cell, column: number): string => {
    const text = painted(cell, cell.text, style);
    const width = displayWidth(cell.text);
    if (width > widths[column]!) widths[column] = Math.min(width, maxAlignedWidth);
    return width === text.length ? text : `${text}${widthMark}${width}`;
  };
  const tableCell = (cell: string, column: number): string => {
    const mark = cell.indexOf(widthMark);
    const text = mark < 0 ? cell : cell.slice(0, mark);
    const width = mark < 0 ? cell.length : Number(cell.slice(mark + 1));
    return padded(text, widths[column]!, aligns[column]!, width);
  };
  const tableLine = (line: string): string => `${plainRow(line.split(cellEnd).map(tableCell))}\n`;
  return {
    text: async (rows) => {
      await prepareToMeasure(rows.flat().map(({ text }) => text));
      return rows.map((row) => `${row.map(fileCell).join(cellEnd)}\n`).join("");
    },
    *lines(pieces) {
      if (hasHeader) {
        const labels = columns.map(({ label }, column) =>
          padded(style.heading(label), widths[column]!, aligns[column]!, displayWidth(label)),
        );
        yield `${plainRow(labels)}\n`;
      }
      for (const piece of pieces) yield piece.slice(0, -1).split("\n").map(tableLine).join("");
    },
  };
}
