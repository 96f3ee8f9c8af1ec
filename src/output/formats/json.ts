import type { Format, Printer, Report } from "./format.ts";
import { errorObject } from "../../core/error.ts";
import { indentedJson, jsonText } from "../../core/json-text.ts";
import { onePageText } from "../../service/lines.ts";
import { batches } from "./line-format.ts";
import { jsonLines } from "./plain-formats.ts";

/** Prints JSON unchanged except for its indentation. */
function printJson(json: string, printer: Printer): Promise<void> {
  return printer.printJson(indentedJson(json));
}

/** Returns a report as an envelope. */
function reportEnvelope({ message, data, error, status = error === undefined }: Report): string {
  if (error === undefined) return jsonText({ status, message, data });
  const { kind, hint, details, fields } = error;
  return jsonText({
    status,
    message,
    data,
    error: { ...errorObject({ kind, message, hint, ...(details && { details }) }), ...fields },
  });
}

/** Returns records as the items of an array in an object in an object. */
function indentedItems(texts: readonly string[]): string {
  const nested = indentedJson(`[[[${texts.join(",")}]]]`);
  return nested.slice("[\n  [\n    [\n".length, -"\n    ]\n  ]\n]\n".length);
}

/** The envelope, with every field unchanged. */
export const jsonFormat: Format = {
  isJson: true,
  envelope: printJson,
  record: ({ text }, _, printer) => printJson(text, printer),
  list: async ({ message, count, lines, text: page }, _, printer) => {
    if (page !== undefined) return printJson(page, printer);
    const { printJson: print } = printer;
    const none = indentedJson(onePageText(message, count === 0 ? "" : "null", count));
    const [head, tail = ""] = none.split(/(?<=\n) {6}null(?=\n)/);
    await print(head!);
    let separator = "";
    for (const piece of batches(lines)) {
      await print(`${separator}${indentedItems(piece.map(({ text }) => text))}`);
      separator = ",\n";
    }
    await print(tail);
  },
  needsAll: true,
  // An endless list does not fit into one envelope.
  lines: () => jsonLines,
  report: (report, printer) => {
    const envelope = reportEnvelope(report);
    return report.isOneLine ? printer.printJson(`${envelope}\n`) : printJson(envelope, printer);
  },
};
