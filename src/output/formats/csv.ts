import { safeText } from "../safe-text.ts";
import type { RecordView } from "../views.ts";
import type { Format, Lines } from "./format.ts";
import { cellText, lineFormat } from "./line-format.ts";

/**
 * RFC 4180. The fields of the first record are the columns, unless `--columns` names others; an empty list has
 * those of the table.
 */
export const csvFormat: Format = lineFormat((view, isTerminal) =>
  csvLines(view, isTerminal ? safeText : same),
);

/** The same for a spreadsheet, which takes none of its cells for a formula: `--csv-safe`. */
export const safeCsvFormat: Format = lineFormat((view, isTerminal) =>
  csvLines(view, (text) => (isTerminal ? safeText : same)(withoutFormula(text))),
);

function same(text: string): string {
  return text;
}

/** Spreadsheets show a cell that begins with an apostrophe as text, and most leave the apostrophe out. */
function withoutFormula(cell: string): string {
  return /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
}

/** @param safe makes a cell fit to be shown */
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
