import type { Format, Lines, Printer, Report } from "../output.ts";
import { joinLines, jsonText } from "../../core/json-text.ts";
import { lineOf, recordLine, type Line } from "../../service/lines.ts";
import { safeText } from "../../core/text.ts";
import type { RecordView } from "../views.ts";
import { SendctlError } from "../../core/error.ts";

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
  const linesFor = (view: RecordView, { width }: Printer): Lines =>
    write(view, width !== undefined);
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

/** The identifiers of records, each followed by a newline or NUL. */
export const idFormat: Format = lineFormat(({ key, one, layout }, isTerminal) => {
  const end = layout?.isNullSeparated === true ? "\0" : "\n";
  return {
    lines: (lines) =>
      lines
        .map(({ record }) => {
          const id = cellText(record[key]);
          if (isTerminal) return `${safeText(id)}${end}`;
          if (isSplit(id, end)) throw ambiguous(`${one} ${key} ${jsonText(id)}`, end);
          return `${id}${end}`;
        })
        .join(""),
  };
});

/** Returns whether a reader of lines would take an id for others. Readers omit a carriage return before a newline. */
function isSplit(id: string, end: string): boolean {
  return id.includes(end) || (end === "\n" && id.endsWith("\r"));
}

function ambiguous(id: string, end: string): SendctlError {
  const isNull = end === "\0";
  const separator = isNull ? "NUL" : "a line break";
  const message = `${id} contains ${separator}, so --output id would name another record`;
  const hint = `${isNull ? "" : "pass -0 to the list, or "}use --output jsonl`;
  return new SendctlError("usage", message, { hint });
}

/** Writes each record unchanged on one line. */
export const jsonLines: Lines = {
  lines: (lines) => lines.map(({ text }) => `${onOneLine(text)}\n`).join(""),
};

/** Removes line ends and indentation from JSON. Strings contain no line ends, so they stay unchanged. */
function onOneLine(json: string): string {
  return /[\r\n]/.test(json) ? joinLines(json, "") : json;
}

export const jsonlFormat: Format = {
  ...lineFormat(() => jsonLines, true),
  event: (record, _, { printJson }) => printJson(jsonLines.lines([lineOf(record)])),
};

/** The Markdown of reports. A command without one refuses this format: see src/config/settings.ts. */
export const markdownFormat: Format = {
  ...lineFormat(() => jsonLines),
  report: ({ data, markdown }, printer) => {
    const pieces = markdown?.(data) ?? [];
    return printText({ message: "", data, text: () => pieces }, printer);
  },
};
