import { csvRow } from "./csv.ts";
import type { Page } from "../contract/records.ts";
import type { Reply } from "../contract/service.ts";
import { SendctlError } from "../contract/error.ts";
import { jsonText, pageItems } from "../contract/json-text.ts";
import { safeJson, safeText } from "./safe-text.ts";
import type { RecordView } from "./views.ts";

/** A record as it was read, and its text as it came. */
export interface Line {
  readonly record: Readonly<Record<string, unknown>>;
  readonly text: string;
}

export type LinesFormat = "jsonl" | "csv" | "id";

/** Records as lines, as many at a time as one likes. */
export interface Lines {
  /** What stands above the first, which may be all there is. @param first undefined for an empty list */
  readonly head: (first: Line | undefined) => string;
  readonly lines: (lines: readonly Line[]) => string;
}

/**
 * The formats that need no more memory for a million records than for one.
 *
 * @param isTerminal whether a terminal would obey what is in the records
 */
export function lineFormat(format: LinesFormat, view: RecordView, isTerminal: boolean): Lines {
  const safe = isTerminal ? safeText : (text: string): string => text;
  if (format === "jsonl") {
    const shown = isTerminal ? safeJson : (text: string): string => text;
    return {
      head: () => "",
      lines: (lines) => lines.map(({ text }) => `${shown(onOneLine(text))}\n`).join(""),
    };
  }
  if (format === "id") {
    return {
      head: () => "",
      lines: (lines) => lines.map(({ record }) => `${safe(cellText(record[view.key]))}\n`).join(""),
    };
  }
  let members: readonly string[] = view.columns;
  return {
    head: (first) => {
      if (first !== undefined) members = Object.keys(first.record);
      return csvRow(members.map(safe));
    },
    lines: (lines) =>
      lines
        .map(({ record }) => csvRow(members.map((member) => safe(cellText(record[member])))))
        .join(""),
  };
}

/** The records of a page. @throws SendctlError "unexpected_response" where their number is not clear */
export function linesOf(reply: Reply): Line[] {
  const { data } = reply.envelope!.data as Page<Line["record"]>;
  const texts = pageItems(reply.text);
  if (texts.length !== data.length) {
    throw new SendctlError(
      "unexpected_response",
      "The answer names its records twice: it is not the service's",
    );
  }
  return data.map((record, index) => ({ record, text: texts[index]! }));
}

/** Line ends stand between the parts of JSON only, never in them. */
function onOneLine(json: string): string {
  return /[\r\n]/.test(json) ? json.replace(/\s*[\r\n]\s*/g, "") : json;
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string"
    ? value
    : typeof value === "bigint"
      ? `${value}`
      : jsonText(value);
}
