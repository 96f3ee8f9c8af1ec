import { SendctlError } from "../../core/error.ts";
import { joinLines, jsonText } from "../../core/json-text.ts";
import { safeText } from "../../core/text.ts";
import { lineOf } from "../../service/lines.ts";
import type { Format, Lines } from "../output.ts";
import { cellText, lineFormat, printText } from "./line-format.ts";

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
          if (isSplit(id, end)) throw ambiguous(`${one} ${key} ${jsonText(id)}`, end);
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
