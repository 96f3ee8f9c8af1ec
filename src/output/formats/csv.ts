import type { Format } from "./format.ts";
import { formulaStart, safeText } from "../../core/text.ts";
import { cellText, lineFormat } from "./line-format.ts";

/** How CSV is written for spreadsheets. */
export interface CsvOptions {
  /** Whether cells are protected from being read as formulas: `--csv-safe`. */
  readonly isSafe: boolean;
  /** Whether it begins with a byte order mark, which Excel needs for UTF-8: `--csv-bom`. */
  readonly hasMark: boolean;
}

/**
 * Creates CSV as in RFC 4180. The columns are those of `--columns`, the fields of sender IDs and
 * groups in a fixed order, or else the fields of the first record; an empty list of other records
 * has the columns of the table.
 */
export function csvFormat({ isSafe, hasMark }: CsvOptions): Format {
  return lineFormat((view, isTerminal) => {
    const safe = (text: string): string => {
      // Spreadsheets treat what follows an apostrophe as text, and mostly hide the apostrophe.
      const cell = isSafe && startsFormula.test(text) ? `'${text}` : text;
      return isTerminal ? safeText(cell) : cell;
    };
    const { hasChosenColumns, isHeaderless } = view.layout ?? {};
    let fields = view.columns;
    return {
      head: (first) => {
        const found = first === undefined ? view.columns : Object.keys(first.record);
        if (hasChosenColumns !== true) fields = view.csvHeader?.(first?.record) ?? found;
        const header = isHeaderless === true ? "" : csvRow(fields.map(safe));
        return hasMark && !isTerminal ? `\ufeff${header}` : header;
      },
      lines: (lines) =>
        lines
          .map(({ record }) => csvRow(fields.map((field) => safe(cellText(record[field])))))
          .join(""),
    };
  });
}

const startsFormula = new RegExp(`^${formulaStart}`);

/** Returns a row with its line end. */
export function csvRow(cells: readonly string[], delimiter = ","): string {
  const written = cells.map((cell) => {
    const isPlain = !/[",\r\n]/.test(cell) && (delimiter === "," || !cell.includes(delimiter));
    return isPlain ? cell : `"${cell.replaceAll('"', '""')}"`;
  });
  return `${written.join(delimiter)}\r\n`;
}
