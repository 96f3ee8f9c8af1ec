import { errorObject } from "../../contract/error.ts";
import { indentedJson, jsonText } from "../../contract/text/json-text.ts";
import type { Format, Report, Sheet } from "./format.ts";
import { jsonLines } from "./jsonl.ts";

/** Prints JSON unchanged except for its indentation. */
export function printJson(json: string, sheet: Sheet): Promise<void> {
  return sheet.printJson(indentedJson(json));
}

/** Returns a report as an envelope. */
function reportEnvelope({ message, data, error, status = error === undefined }: Report): string {
  if (error === undefined) return jsonText({ status, message, data });
  const { details, ...known } = error;
  return jsonText({
    status,
    message,
    data,
    error: { ...errorObject({ ...known, message }), ...details },
  });
}

/** The envelope, with every field unchanged. */
export const jsonFormat: Format = {
  isJson: true,
  envelope: printJson,
  record: ({ text }, _, sheet) => printJson(text, sheet),
  page: ({ text }, _, sheet) => printJson(text, sheet),
  needsWholeList: true,
  longList: async (_, sheet) => {
    const { longJson } = await import("./long-json.ts");
    return longJson(sheet);
  },
  // An endless list does not fit into one envelope.
  lines: () => jsonLines,
  report: (report, sheet) => printJson(reportEnvelope(report), sheet),
};
