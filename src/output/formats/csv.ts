import { safeText } from "../safe-text.ts";
import type { RecordView } from "../views.ts";
import type { Format, Lines } from "./format.ts";
import { cellText, lineFormat } from "./line-format.ts";

/** RFC 4180. The fields of the first record are the columns; an empty list has those of the table. */
export const csvFormat: Format = lineFormat(csvLines);

function csvLines(view: RecordView, isTerminal: boolean): Lines {
  const safe = isTerminal ? safeText : (text: string): string => text;
  let fields = view.columns;
  return {
    head: (first) => {
      if (first !== undefined) fields = Object.keys(first.record);
      return csvRow(fields.map(safe));
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
