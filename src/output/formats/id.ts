import { safeText } from "../safe-text.ts";
import type { Format } from "./format.ts";
import { cellText, lineFormat } from "./line-format.ts";

/** The identifiers of records, each followed by a newline or NUL. */
export const idFormat: Format = lineFormat(({ key, layout }, isTerminal) => ({
  head: () => "",
  lines: (lines) =>
    lines
      .map(({ record }) => {
        const id = cellText(record[key]);
        return `${isTerminal ? safeText(id) : id}${layout?.isNullSeparated === true ? "\0" : "\n"}`;
      })
      .join(""),
}));
