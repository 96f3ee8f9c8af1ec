import type { Reply } from "../../contract/service.ts";
import type { Report } from "../formats/format.ts";
import type { Line } from "../replies.ts";
import type { Secrets } from "./secrets.ts";

/** Removes secrets from data before a format prints it. */
export interface Redact {
  readonly reply: (reply: Reply) => Reply;
  readonly line: (line: Line) => Line;
  readonly report: (report: Report) => Report;
}

/**
 * Creates the functions that remove secrets from data. They run before formatting, because a table wraps texts and YAML
 * quotes them, and return data without secrets unchanged.
 */
export function createRedact({ hideJson, hideReply, hideValue, isEmpty }: Secrets): Redact {
  const items = function* (all: Iterable<object>): Generator<object> {
    for (const item of all) yield hideValue(item);
  };
  return {
    reply: (reply) => {
      const text = hideReply(reply.text);
      if (text === reply.text) return reply;
      return { ...reply, text, envelope: hideValue(reply.envelope) };
    },
    line: (line) => {
      // Not every format needs the text, and extracting it from a page is expensive.
      if (isEmpty()) return line;
      const text = hideJson(line.text);
      return text === line.text ? line : { record: hideValue(line.record), text };
    },
    report: (report) => {
      const { message, records } = report;
      const shown = { ...report, message: hideValue(message), data: hideValue(report.data) };
      if (records === undefined) return shown;
      return { ...shown, records: { ...records, items: items(records.items) } };
    },
  };
}
