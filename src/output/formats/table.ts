import type { Format, Printer } from "./format.ts";
import { safeText } from "../../core/text.ts";
import type { Cell, Column } from "../table/table.ts";
import {
  localTime,
  fieldCell,
  timeAsSent,
  titleOf,
  type RecordView,
  type TimeView,
} from "../views.ts";
import type { RecordIdentity } from "../../contract/service.ts";
import { mapped, printText } from "./line-format.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Returns local time for a terminal, and unchanged timestamps for a pipe or file. */
function timesOf({ isScreen }: Printer): TimeView {
  return isScreen ? localTime : timeAsSent;
}

/** Returns a function that writes a record of a view with lines. */
async function lineWriter({ line }: RecordView, printer: Printer) {
  const { style } = await printer.surface();
  const times = timesOf(printer);
  return (record: Fields): string => `${line!(record, times, style)}\n`;
}

async function printRecords(
  records: Iterable<Fields>,
  view: RecordView,
  printer: Printer,
): Promise<void> {
  if (view.line !== undefined) {
    const write = await lineWriter(view, printer);
    for (const record of records) await printer.print(write(record));
    return;
  }
  const { tablePieces } = await import("../table/table.ts");
  const { hasChosenColumns, isHeaderless } = view.layout ?? {};
  const required = hasChosenColumns === true ? { optional: undefined } : {};
  const columns = view.columns.map((field): Column => {
    const { label, column } = view.fields[field]!;
    return { label, ...column, ...required };
  });
  const times = timesOf(printer);
  const rows = mapped(records, (record): Cell[] =>
    view.columns.map((field) => fieldCell(view, field, record[field], times)[1]),
  );
  const surface = await printer.surface();
  let hidden: readonly string[] = [];
  const hide = (labels: readonly string[]): void => void (hidden = labels);
  const pieces = tablePieces(columns, rows, surface, isHeaderless !== true, hide);
  for await (const piece of pieces) await printer.print(piece);
  if (hidden.length > 0) await printer.say(`Columns that do not fit: ${hidden.join(", ")}`);
}

/** Tables for people. The library that draws them is loaded for the first table. */
export const tableFormat: Format = {
  record: async ({ envelope }, view, printer, { isNarrated = true, done }) => {
    const { recordTable } = await import("../table/table.ts");
    const surface = await printer.surface();
    const times = timesOf(printer);
    const fields = Object.entries(envelope!.data as object).map(([field, value]) =>
      fieldCell(view, field, value, times),
    );
    await printer.print(`${await recordTable(fields, surface)}\n`);
    if (!isNarrated) return;
    const { data, message } = envelope!;
    const text = done === undefined ? message : `${titleOf(view, data as RecordIdentity)} ${done}`;
    await printer.say(safeText(text));
  },
  list: async ({ count, total, lines }, view, printer, { nothing, isNarrated = true }) => {
    const records = mapped(lines, ({ record }) => record);
    if (count > 0) return printRecords(records, view, printer);
    if (total > 0 || !isNarrated) return;
    const { many = "records", toCreate } = view;
    const create = toCreate === undefined ? "" : ` · create one: ${toCreate}`;
    await printer.say(nothing ?? `No ${many} yet${create}`);
  },
  needsAll: true,
  lines: async (view, printer) => {
    const write = await lineWriter(view, printer);
    return { lines: (lines) => lines.map(({ record }) => write(record)).join("") };
  },
  report: async (report, printer) => {
    const { text, records } = report;
    if (text !== undefined || records === undefined) return printText(report, printer);
    return printRecords([...records.items] as Fields[], records.view, printer);
  },
  event: async (_, text, { print }) => {
    if (text !== undefined) await print(`${text}\n`);
  },
};
