import { SendctlError } from "../../contract/error.ts";
import { jsonText } from "../../contract/text/json-text.ts";
import { safeText } from "../safe-text.ts";
import type { Format } from "./format.ts";
import { cellText, lineFormat } from "./line-format.ts";

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
