import { SendctlError } from "../../core/error.ts";
import { joinLines, jsonText } from "../../core/json-text.ts";
import { plainWord, safeText } from "../../core/text.ts";
import { lineOf } from "../../service/lines.ts";
import type { Format, Lines } from "./format.ts";
import { cellText, lineFormat } from "./line-format.ts";

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
