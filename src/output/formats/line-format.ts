import { joinLines, jsonText } from "../../core/json-text.ts";
import { lineOf, linesOf, recordLine, type Line } from "../../service/lines.ts";
import { safeLines, safeText } from "../../core/safe-text.ts";
import type { RecordView } from "../views.ts";
import type { Write } from "../writer.ts";
import type { Format, Lines, Report, Sheet } from "./format.ts";
import { SendctlError } from "../../core/error.ts";

/** Number of records of a report that are written at once. */
const batchSize = 1000;

/** Yields items in batches. */
export function* batches<Item>(items: Iterable<Item>, size: number): Generator<Item[]> {
  let batch: Item[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
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
    report: async (report, sheet) => {
      const { records } = report;
      if (records === undefined) return printText(report, sheet);
      const print = printOf(sheet);
      const { head, lines } = linesFor(records.view, sheet);
      let isBegun = false;
      for (const batch of batches(records.items, batchSize)) {
        const all = batch.map(lineOf);
        await print((isBegun ? "" : head(all[0])) + lines(all));
        isBegun = true;
      }
      if (!isBegun) await print(head(undefined));
    },
  };
}

/** Approximate length in characters of the pieces in which a long text is written. */
const pieceLength = 64 * 1024;

/** Prints the text of a report, if it has one. */
export async function printText({ text = "" }: Report, sheet: Sheet): Promise<void> {
  if (typeof text === "string") {
    return sheet.print(sheet.width === undefined ? text : safeLines(text));
  }
  let piece = "";
  for (const part of await text(await sheet.surface())) {
    piece += part;
    if (piece.length < pieceLength) continue;
    await sheet.print(piece);
    piece = "";
  }
  return sheet.print(piece);
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
    head: () => "",
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
  head: () => "",
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
