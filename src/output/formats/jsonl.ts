import { safeJson } from "../safe-text.ts";
import { lineOf } from "../replies.ts";
import type { Format, Lines } from "./format.ts";
import { lineFormat } from "./line-format.ts";

/** Writes each record as it came, on one line. */
export function jsonLines(isTerminal: boolean): Lines {
  const shown = isTerminal ? safeJson : (text: string): string => text;
  return {
    head: () => "",
    lines: (lines) => lines.map(({ text }) => `${shown(onOneLine(text))}\n`).join(""),
  };
}

/** Returns JSON without line ends, which stand between its parts only, never inside a string. */
function onOneLine(json: string): string {
  return /[\r\n]/.test(json) ? json.replace(/\s*[\r\n]\s*/g, "") : json;
}

export const jsonlFormat: Format = {
  ...lineFormat((_, isTerminal) => jsonLines(isTerminal)),
  event: (record, _, { print, width }) =>
    print(jsonLines(width !== undefined).lines([lineOf(record)])),
};
