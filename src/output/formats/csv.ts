import { safeText } from "../safe-text.ts";
import type { RecordView } from "../views.ts";
import type { Format, Lines } from "./format.ts";
import { cellText, lineFormat } from "./line-format.ts";

/**
 * CSV as in RFC 4180. The columns are those of `--columns` or else the fields of the first record; an empty list has
 * the columns of the table.
 */
export const csvFormat: Format = lineFormat((view, isTerminal) =>
  csvLines(view, isTerminal ? safeText : same),
);

/** CSV for spreadsheets, with cells protected from being read as formulas: `--csv-safe`. */
export const safeCsvFormat: Format = lineFormat((view, isTerminal) =>
  csvLines(view, (text) => (isTerminal ? safeText : same)(withoutFormula(text))),
);

function same(text: string): string {
  return text;
}

/** Prefixes a cell that looks like a formula with an apostrophe, which spreadsheets treat as text and mostly hide. */
function withoutFormula(cell: string): string {
  return /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
}

/** Returns the lines of a list. @param safe escapes a cell */
function csvLines(view: RecordView, safe: (cell: string) => string): Lines {
  let fields = view.columns;
  const { hasChosenColumns, isHeaderless } = view.layout ?? {};
  return {
    head: (first) => {
      if (first !== undefined && hasChosenColumns !== true) fields = Object.keys(first.record);
      return isHeaderless === true ? "" : csvRow(fields.map(safe));
    },
    lines: (lines) =>
      lines
        .map(({ record }) => csvRow(fields.map((field) => safe(cellText(record[field])))))
        .join(""),
  };
}

/** Returns a row with its line end. */
function csvRow(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}

function csvCell(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
