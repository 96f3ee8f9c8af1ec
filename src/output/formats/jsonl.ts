import { joinLines } from "../../contract/text/join-lines.ts";
import { lineOf } from "../replies.ts";
import type { Format, Lines } from "./format.ts";
import { lineFormat } from "./line-format.ts";

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
