import type { Page } from "../../contract/records.ts";
import { safeText } from "../../core/safe-text.ts";
import type { Cell, Column } from "../table/table.ts";
import { localTime, fieldCell, timeAsSent, type RecordView, type TimeView } from "../views.ts";
import type { Format, PageOptions, Sheet } from "./format.ts";
import { printText } from "./line-format.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Returns local time for a terminal, and unchanged timestamps for a pipe or file. */
function timesOf({ width }: Sheet): TimeView {
  return width === undefined ? timeAsSent : localTime;
}

/** Returns a function that writes a record as a line. */
async function lineWriter(view: RecordView, sheet: Sheet): Promise<(record: Fields) => string> {
  const { style } = await sheet.surface();
  const times = timesOf(sheet);
  const cells = (record: Fields): string =>
    view.columns.map((field) => fieldCell(view, field, record[field], times)[1].text).join("  ");
  return (record) => `${view.line?.(record, times, style) ?? cells(record)}\n`;
}

async function printRecords(
  records: Iterable<Fields>,
  view: RecordView,
  sheet: Sheet,
): Promise<void> {
  if (view.line !== undefined) {
    const write = await lineWriter(view, sheet);
    for (const record of records) await sheet.print(write(record));
    return;
  }
  const { tablePieces } = await import("../table/table.ts");
  const { columns, rowOf, hasHeader } = layoutOf(view, sheet);
  const surface = await sheet.surface();
  const rows = mapped(records, rowOf);
  for await (const piece of tablePieces(columns, rows, surface, hasHeader))
    await sheet.print(piece);
}

/** Returns items that are computed each time they are read. */
function mapped<From, To>(items: Iterable<From>, of: (item: From) => To): Iterable<To> {
  return {
    *[Symbol.iterator]() {
      for (const item of items) yield of(item);
    },
  };
}

/** Returns the columns of a list, and the cells of its records. */
function layoutOf(view: RecordView, sheet: Sheet) {
  const times = timesOf(sheet);
  const { hasChosenColumns, isHeaderless = false } = view.layout ?? {};
  const columns = view.columns.map((field): Column => {
    const { label, column = {} } = view.fields[field]!;
    if (hasChosenColumns !== true) return { label, ...column };
    const { optional: _, ...kept } = column;
    return { label, ...kept };
  });
  const rowOf = (record: Fields): Cell[] =>
    view.columns.map((field) => fieldCell(view, field, record[field], times)[1]);
  return { columns, rowOf, hasHeader: !isHeaderless };
}

async function sayEmpty(
  view: RecordView,
  sheet: Sheet,
  { nothing, isNarrated = true }: PageOptions,
): Promise<void> {
  const empty = nothing ?? `No ${view.many} yet · create one: ${view.toCreate}`;
  if (isNarrated) await sheet.say(empty);
}

/** Tables for people. The library that draws them is loaded for the first table. */
export const tableFormat: Format = {
  record: async ({ envelope }, view, sheet, { isNarrated = true } = {}) => {
    const { recordTable } = await import("../table/table.ts");
    const times = timesOf(sheet);
    const fields = Object.entries(envelope!.data as object).map(([field, value]) =>
      fieldCell(view, field, value, times),
    );
    await sheet.print(`${await recordTable(fields, await sheet.surface())}\n`);
    if (isNarrated) await sheet.say(safeText(envelope!.message));
  },
  page: async ({ envelope }, view, sheet, options) => {
    const page = envelope!.data as Page<Fields>;
    if (page.data.length > 0) await printRecords(page.data, view, sheet);
    else if (page.total === 0) await sayEmpty(view, sheet, options);
  },
  whole: async ({ count, lines }, view, sheet, options) => {
    if (count > 0) {
      await printRecords(
        mapped(lines, ({ record }) => record),
        view,
        sheet,
      );
    } else await sayEmpty(view, sheet, options);
  },
  lines: async (view, sheet) => {
    const write = await lineWriter(view, sheet);
    return { head: () => "", lines: (lines) => lines.map(({ record }) => write(record)).join("") };
  },
  report: async (report, sheet) => {
    const { text, records } = report;
    if (text !== undefined || records === undefined) return printText(report, sheet);
    return printRecords([...records.items] as Fields[], records.view, sheet);
  },
  event: async (_, text, { print }) => {
    if (text !== undefined) await print(`${text}\n`);
  },
};
