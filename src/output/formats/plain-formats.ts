import { SendctlError, errorObject } from "../../core/error.ts";
import { joinLines, jsonText, indentedJson } from "../../core/json-text.ts";
import { plainWord, safeText } from "../../core/text.ts";
import { lineOf, onePageText } from "../../service/lines.ts";
import type { Format, Lines, Printer, Report } from "./format.ts";
import { cellText, lineFormat, batches } from "./line-format.ts";

/** The identifiers of records, each followed by a newline or NUL. */
export const idFormat: Format = lineFormat(({ key, one, layout }, isTerminal) => {
  const end = layout?.isNullSeparated === true ? "\0" : "\n";
  return {
    lines: (lines) =>
      lines
        .map(({ record }) => {
          if (key === "id" && !isId(record[key])) {
            const text = jsonText(record[key] ?? null);
            throw new SendctlError("unexpected_response", `${one} without a valid ${key}: ${text}`);
          }
          const id = cellText(record[key]);
          if (isTerminal) return `${safeText(id)}${end}`;
          const cause = causeOfChange(id, end);
          if (cause !== undefined) throw ambiguous(`${one} ${key} ${jsonText(id)} ${cause}`, end);
          return `${id}${end}`;
        })
        .join(""),
  };
});

/** Returns whether a value may be the id of a record. */
function isId(value: unknown): boolean {
  if (typeof value === "string") return value !== "";
  return typeof value === "bigint" || Number.isSafeInteger(value);
}

/** Returns why an id would be read as another one, or as several; undefined if not. */
function causeOfChange(id: string, end: string): string | undefined {
  if (end === "\0") return id.includes(end) ? "contains NUL" : undefined;
  if (/[\r\n]/.test(id)) return "contains a line break";
  return plainWord(id) === id ? undefined : "has blanks or quotes around it";
}

function ambiguous(problem: string, end: string): SendctlError {
  const message = `${problem}, so --output id would name another record`;
  const hint = `${end === "\0" ? "" : "pass -0 to the list, or "}use --output jsonl`;
  return new SendctlError("usage", message, { hint });
}

/** Writes each record unchanged on one line. */
export const jsonLines: Lines = {
  // Without line ends and indentation. Strings contain no line ends, so they stay unchanged.
  lines: (lines) =>
    lines.map(({ text }) => `${/[\r\n]/.test(text) ? joinLines(text, "") : text}\n`).join(""),
};

export const jsonlFormat: Format = {
  ...lineFormat(() => jsonLines, true),
  event: (record, _, { printJson }) => printJson(jsonLines.lines([lineOf(record)])),
};

/** Prints JSON unchanged except for its indentation. */
function printJson(json: string, printer: Printer): Promise<void> {
  return printer.printJson(indentedJson(json));
}

/** Returns a report as an envelope. */
function reportEnvelope({ message, data, error, status = error === undefined }: Report): string {
  if (error === undefined) return jsonText({ status, message, data });
  const { kind, hint, details, fields } = error;
  return jsonText({
    status,
    message,
    data,
    error: { ...errorObject({ kind, message, hint, ...(details && { details }) }), ...fields },
  });
}

/** Returns records as the items of an array in an object in an object. */
function indentedItems(texts: readonly string[]): string {
  const nested = indentedJson(`[[[${texts.join(",")}]]]`);
  return nested.slice("[\n  [\n    [\n".length, -"\n    ]\n  ]\n]\n".length);
}

/** The envelope, with every field unchanged. */
export const jsonFormat: Format = {
  isJson: true,
  envelope: printJson,
  record: ({ text }, _, printer) => printJson(text, printer),
  list: async ({ message, count, lines, text: page }, _, printer) => {
    if (page !== undefined) return printJson(page, printer);
    const { printJson: print } = printer;
    const none = indentedJson(onePageText(message, count === 0 ? "" : "null", count));
    const [head, tail = ""] = none.split(/(?<=\n) {6}null(?=\n)/);
    await print(head!);
    let separator = "";
    for (const piece of batches(lines)) {
      await print(`${separator}${indentedItems(piece.map(({ text }) => text))}`);
      separator = ",\n";
    }
    await print(tail);
  },
  needsAll: true,
  // An endless list does not fit into one envelope.
  lines: () => jsonLines,
  report: (report, printer) => {
    const envelope = reportEnvelope(report);
    return report.isOneLine ? printer.printJson(`${envelope}\n`) : printJson(envelope, printer);
  },
};
