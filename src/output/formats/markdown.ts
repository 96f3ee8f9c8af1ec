import { safeText } from "../../core/text.ts";
import type { Format } from "./format.ts";
import { fieldCell, timeAsSent, type RecordView } from "../views.ts";
import { lineFormat } from "./line-format.ts";

/**
 * Returns text as Markdown that shows exactly that text: no link, mention, image, HTML or table
 * cell begins or ends in it. GitHub makes links even of addresses that are written with entities,
 * so comments divide `http:`, `www.` and `name@host`.
 */
export function code(text: string): string {
  const escaped = safeText(text)
    .replace(/[!-/:-@[-`{-~]/g, (sign) => `&#${sign.charCodeAt(0)};`)
    .replace(/&#(?:58|64);|(?<=www)&#46;/gi, "<!-- -->$&");
  return `<code>${escaped}</code>`;
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |\n`;
}

/** Returns the head of a table, below which GitHub takes each row for one of it. */
function head(labels: readonly string[]): string {
  return row(labels) + row(labels.map(() => "-"));
}

function labelOf({ fields }: RecordView, field: string): string {
  return Object.hasOwn(fields, field) ? fields[field]!.label : code(field);
}

function valueOf(view: RecordView, field: string, value: unknown): string {
  if (value === null || value === undefined) return "";
  const [, { text }] = fieldCell(view, field, value, timeAsSent);
  return code(text);
}

const lists = lineFormat((view) => ({
  head: () => head(view.columns.map((field) => labelOf(view, field))),
  lines: (lines) =>
    lines
      .map(({ record }) => row(view.columns.map((field) => valueOf(view, field, record[field]))))
      .join(""),
}));

/** A table for GitHub: of a list as of a record, in which every text stands as it is. */
export const markdownFormat: Format = {
  ...lists,
  record: ({ envelope }, view, { print }) => {
    const fields = Object.entries(envelope!.data as object);
    const rows = fields.map(([field, value]) =>
      row([labelOf(view, field), valueOf(view, field, value)]),
    );
    return print(head(["Field", "Value"]) + rows.join(""));
  },
  report: async (report, printer) => {
    const { data, markdown } = report;
    if (markdown === undefined) return lists.report(report, printer);
    for (const piece of markdown(data)) await printer.print(piece);
  },
};
