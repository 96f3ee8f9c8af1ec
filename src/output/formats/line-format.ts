import type { Format, Lines, Printer, Report } from "./format.ts";
import { jsonText } from "../../core/json-text.ts";
import { lineOf, recordLine, type Line } from "../../service/lines.ts";
import type { RecordView } from "../views.ts";
import { formulaStart, safeText } from "../../core/text.ts";

/** Number of records that are written at once. */
const batchSize = 100;

/** Yields items in batches. */
export function* batches<Item>(items: Iterable<Item>): Generator<Item[]> {
  let batch: Item[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/**
 * Creates a format that writes records one by one, in constant memory.
 *
 * @param write returns the text of records; they must be made safe if `isTerminal` is true
 * @param isJson whether records are written as JSON
 */
export function lineFormat(
  write: (view: RecordView, isTerminal: boolean) => Lines,
  isJson = false,
): Format {
  const linesFor = (view: RecordView, { isScreen }: Printer): Lines => write(view, isScreen);
  const show = async (
    records: Iterable<Line>,
    view: RecordView,
    printer: Printer,
  ): Promise<void> => {
    const print = isJson ? printer.printJson : printer.print;
    const { head, lines } = linesFor(view, printer);
    let isFirst = true;
    for (const batch of batches(records)) {
      const start = isFirst ? head?.(batch[0]) : undefined;
      await print(`${start ?? ""}${lines(batch)}`);
      isFirst = false;
    }
    if (isFirst) await print(head?.(undefined) ?? "");
  };
  return {
    ...(isJson ? { isJson } : {}),
    record: (reply, view, printer) => show([recordLine(reply)], view, printer),
    list: ({ lines }, view, printer) => show(lines, view, printer),
    lines: linesFor,
    report: (report, printer) => {
      const { records } = report;
      if (records === undefined) return printText(report, printer);
      return show(mapped(records.items, lineOf), records.view, printer);
    },
  };
}

/** Returns items that are computed each time they are read. */
export function mapped<From, To>(items: Iterable<From>, of: (item: From) => To): Iterable<To> {
  return {
    *[Symbol.iterator]() {
      for (const item of items) yield of(item);
    },
  };
}

/** Prints the text of a report, if it has one. */
export async function printText({ text = "" }: Report, printer: Printer): Promise<void> {
  if (typeof text === "string") return printer.printRaw(text);
  return printer.print([...(await text(await printer.surface()))].join(""));
}

/** Returns a value as text: null and undefined as "", anything but text and numbers as JSON. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return value;
  // Numbers and booleans are as in JSON, and most cells are one of them or a text.
  if (typeof value === "boolean" || typeof value === "bigint") return String(value);
  return typeof value === "number" && Number.isFinite(value) ? String(value) : jsonText(value);
}

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
