import type { Format, Lines } from "../output.ts";
import { controlCharacters, safeText } from "../../core/text.ts";
import type { Line } from "../../service/lines.ts";
import type { RecordView } from "../views.ts";
import { cellText, lineFormat } from "./line-format.ts";

/**
 * Creates CSV as in RFC 4180. The columns are those of `--columns`, the fields of sender IDs and groups in a fixed order,
 * or else the fields of the first record; an empty list of other records has the columns of the table.
 *
 * @param isSafe whether cells are protected from being read as formulas by spreadsheets: `--csv-safe`
 */
export function csvFormat(isSafe: boolean): Format {
  return lineFormat((view, isTerminal) =>
    csvLines(view, (text) => {
      const cell = isSafe ? withoutFormula(text) : text;
      return isTerminal ? safeText(cell) : cell;
    }),
  );
}

/** A sign that begins a formula, also full-width, or a control character, which spreadsheets may omit before it. */
const formulaStart = new RegExp(String.raw`^[${controlCharacters}=+\-@\uff1d\uff0b\uff0d\uff20]`);

/** Prefixes a cell that looks like a formula with an apostrophe, which spreadsheets treat as text and mostly hide. */
function withoutFormula(cell: string): string {
  return formulaStart.test(cell) ? `'${cell}` : cell;
}

/** Returns the lines of a list. @param safe escapes a cell */
function csvLines(view: RecordView, safe: (cell: string) => string): Lines {
  let fields = view.columns;
  const { hasChosenColumns, isHeaderless } = view.layout ?? {};
  return {
    head: (first) => {
      if (hasChosenColumns !== true) fields = headerOf(view, first);
      return isHeaderless === true ? "" : csvRow(fields.map(safe));
    },
    lines: (lines) =>
      lines
        .map(({ record }) => csvRow(fields.map((field) => safe(cellText(record[field])))))
        .join(""),
  };
}

function headerOf(view: RecordView, first: Line | undefined): readonly string[] {
  if (view.csvHeader !== undefined) return view.csvHeader(first?.record);
  return first === undefined ? view.columns : Object.keys(first.record);
}

/** Returns a row with its line end. */
export function csvRow(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}

function csvCell(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
