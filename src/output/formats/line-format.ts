import { jsonText } from "../../contract/text/json-text.ts";
import { lineOf, linesOf, recordLine, type Line } from "../replies.ts";
import type { RecordView } from "../views.ts";
import type { Write } from "../writer.ts";
import type { Format, Lines, Report, Sheet } from "./format.ts";
import { printText } from "./print-text.ts";

/** Number of records of a report that are written at once. */
const batchSize = 1000;

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
  const printOf = ({ print, printJson }: Sheet): Write => (isJson ? printJson : print);
  const linesFor = (view: RecordView, { width }: Sheet): Lines => write(view, width !== undefined);
  const show = async (all: readonly Line[], view: RecordView, sheet: Sheet): Promise<void> => {
    const { head, lines } = linesFor(view, sheet);
    await printOf(sheet)(head(all[0]) + lines(all));
  };
  return {
    ...(isJson ? { isJson } : {}),
    record: (reply, view, sheet) => show([recordLine(reply)], view, sheet),
    page: (reply, view, sheet) => show(linesOf(reply), view, sheet),
    lines: linesFor,
    report: (report, sheet) => {
      const { records } = report;
      if (records === undefined) return printText(report, sheet);
      return showRecords(records.items, linesFor(records.view, sheet), printOf(sheet));
    },
  };
}

async function showRecords(
  items: NonNullable<Report["records"]>["items"],
  { head, lines }: Lines,
  print: Write,
): Promise<void> {
  let batch: Line[] = [];
  let begin: (first: Line | undefined) => string = head;
  const flush = async (): Promise<void> => {
    await print(begin(batch[0]) + lines(batch));
    begin = () => "";
    batch = [];
  };
  for (const item of items) {
    batch.push(lineOf(item));
    if (batch.length === batchSize) await flush();
  }
  await flush();
}

/** Returns a value as text: null and undefined as "", anything but text and numbers as JSON. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return value;
  // Numbers and booleans are as in JSON, and most cells are one of them or a text.
  if (typeof value === "boolean" || typeof value === "bigint") return String(value);
  return typeof value === "number" && Number.isFinite(value) ? String(value) : jsonText(value);
}
