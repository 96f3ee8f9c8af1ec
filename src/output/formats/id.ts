import { safeText } from "../safe-text.ts";
import type { Format } from "./format.ts";
import { cellText, lineFormat } from "./line-format.ts";

/** What names each record to the next command, one a line, or each before a NUL. */
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
