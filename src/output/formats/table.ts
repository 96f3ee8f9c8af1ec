import type { Page } from "../../contract/records.ts";
import { safeText } from "../safe-text.ts";
import type { Cell, Column, Surface } from "../table/table.ts";
import { localTime, fieldCell, timeAsSent, type RecordView, type TimeView } from "../views.ts";
import type { Format, Sheet } from "./format.ts";
import { printText } from "./print-text.ts";

type Fields = Readonly<Record<string, unknown>>;

async function surfaceOf({ width, style }: Sheet): Promise<Surface> {
  return { width, style: await style() };
}

/** Returns local time for a terminal, and unchanged timestamps for a pipe or file. */
function timesOf({ width }: Sheet): TimeView {
  return width === undefined ? timeAsSent : localTime;
}

/** Returns a function that writes a record as a line. */
async function lineWriter(view: RecordView, sheet: Sheet): Promise<(record: Fields) => string> {
  const style = await sheet.style();
  const times = timesOf(sheet);
  const cells = (record: Fields): string =>
    view.columns.map((field) => fieldCell(view, field, record[field], times)[1].text).join("  ");
  return (record) => `${view.line?.(record, times, style) ?? cells(record)}\n`;
}

async function printRecords(
  records: readonly Fields[],
  view: RecordView,
  sheet: Sheet,
): Promise<void> {
  if (view.line !== undefined) {
    const write = await lineWriter(view, sheet);
    return sheet.print(records.map(write).join(""));
  }
  const { listTable } = await import("../table/table.ts");
  const { columns, rowOf, hasHeader } = layoutOf(view, sheet);
  const table = await listTable(columns, records.map(rowOf), await surfaceOf(sheet), hasHeader);
  await sheet.print(`${table}\n`);
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

/** Tables for people. The library that draws them is loaded for the first table. */
export const tableFormat: Format = {
  record: async ({ envelope }, view, sheet, { isNarrated = true } = {}) => {
    const { recordTable } = await import("../table/table.ts");
    const times = timesOf(sheet);
    const fields = Object.entries(envelope!.data as object).map(([field, value]) =>
      fieldCell(view, field, value, times),
    );
    await sheet.print(`${await recordTable(fields, await surfaceOf(sheet))}\n`);
    if (isNarrated) await sheet.say(safeText(envelope!.message));
  },
  page: async ({ envelope }, view, sheet, { nothing, isNarrated = true }) => {
    const page = envelope!.data as Page<Fields>;
    if (page.data.length > 0) await printRecords(page.data, view, sheet);
    if (!isNarrated) return;
    const isEmpty = page.total === 0 && page.data.length === 0;
    const empty = nothing ?? `No ${view.many} yet · create one: ${view.toCreate}`;
    if (isEmpty) await sheet.say(empty);
  },
  needsWholeList: true,
  longList: async (view, sheet) => {
    if (sheet.width !== undefined || view.line !== undefined) return undefined;
    const { longTable } = await import("../table/long-table.ts");
    const { columns, rowOf, hasHeader } = layoutOf(view, sheet);
    const { text, lines } = longTable(columns, await sheet.style(), hasHeader);
    return {
      text: (records) => text(records.map(({ record }) => rowOf(record))),
      print: async (_, pieces) => {
        for (const piece of lines(pieces)) await sheet.print(piece);
      },
    };
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
