import { stringify } from "lossless-json";
import { SendctlError } from "../../../contract/error.ts";
import { indentedJson } from "../../../contract/text/json-text.ts";
import type { Page } from "../../../contract/records.ts";
import { lineOf, onePageReply } from "../../replies.ts";
import type { RecordView } from "../../views.ts";
import type { Format, Sheet } from "../format.ts";
import { resultText } from "./result-table.ts";
import { ownFields, searchWith } from "./search.ts";

/**
 * Wraps a format to show the result of a JMESPath expression instead of records. Refusals and errors are shown
 * unchanged.
 *
 * @param format the format without a query
 */
export function queryFormat(name: string, format: Format, expression: string): Format {
  const showOther = async (value: unknown, sheet: Sheet): Promise<void> => {
    if (name === "json") return sheet.printJson(indentedJson(jsonOf(value)));
    if (name === "jsonl") {
      const items = Array.isArray(value) ? (value as unknown[]) : [value];
      return sheet.printJson(items.map((item) => `${jsonOf(item)}\n`).join(""));
    }
    if (name !== "table") return format.report({ message: "", data: value }, sheet);
    return sheet.print(await resultText(value, { width: sheet.width, style: await sheet.style() }));
  };
  const show = async (
    value: unknown,
    view: RecordView | undefined,
    sheet: Sheet,
  ): Promise<void> => {
    const copy = ownFields(value);
    const result = searchWith(expression, copy);
    // A selection of complete records is shown like a list of records.
    if (name !== "table" || view === undefined || !isSelection(result, copy)) {
      return showOther(result, sheet);
    }
    const reply = onePageReply("", result.map(lineOf));
    return format.page(reply, view, sheet, { isNarrated: false });
  };
  return {
    ...format,
    record: (reply, view, sheet) => show(reply.envelope!.data, view, sheet),
    page: (reply, view, sheet) => show((reply.envelope!.data as Page<object>).data, view, sheet),
    // An expression needs all records.
    whole: ({ lines }, view, sheet) =>
      show(
        Array.from(lines, ({ record }) => record),
        view,
        sheet,
      ),
    limit: { records: maxRecords, error: tooMany },
    lines: () => {
      throw new SendctlError("usage", "--query does not apply to an endless list of records", {
        hint: "omit --query",
        setting: "--query",
      });
    },
    report: (report, sheet) => {
      if (report.error !== undefined) return format.report(report, sheet);
      const { data, records } = report;
      const inner = (data as { readonly data?: unknown } | null)?.data;
      return show(Array.isArray(inner) ? inner : data, records?.view, sheet);
    },
  };
}

/** Parsed and copied, more records would take more than a gigabyte of memory. */
const maxRecords = 200_000;

function tooMany(): SendctlError {
  return new SendctlError(
    "usage",
    `--query takes at most ${maxRecords} records, and the list has more`,
    {
      hint: "select fewer with --limit, --name or --search, or pipe --output jsonl to a filter",
      setting: "--query",
    },
  );
}

/** Returns whether a result consists of complete records. */
function isSelection(result: unknown, records: unknown): result is readonly object[] {
  if (!Array.isArray(result) || !Array.isArray(records) || result.length === 0) return false;
  const known = new Set<unknown>(records);
  return result.every((item) => typeof item === "object" && item !== null && known.has(item));
}

function jsonOf(value: unknown): string {
  return stringify(value) ?? "null";
}
