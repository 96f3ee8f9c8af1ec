import { onePage, type Page } from "../contract/records.ts";
import type { Reply } from "../contract/service.ts";
import { SendctlError } from "../contract/error.ts";
import { dataText, jsonText, pageItems } from "../contract/json-text.ts";

/** A record as parsed, and its JSON text as it came. */
export interface Line {
  readonly record: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** Returns a record of our own as a line. */
export function lineOf(record: object): Line {
  return { record: record as Line["record"], text: jsonText(record) };
}

/** Returns the record of a reply. */
export function recordLine(reply: Reply): Line {
  return { record: reply.envelope!.data as Line["record"], text: dataText(reply.text) };
}

/** Returns the records of a page. @throws SendctlError "unexpected_response" where their number is ambiguous */
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

/** Returns the reply of a command that is not an operation of the service. */
export function doneReply(message: string, data: unknown): Reply {
  const envelope = { status: true, message, data };
  return { status: 200, text: jsonText(envelope), envelope };
}

/** Returns a whole list as a reply of one page, each record with its text as it came. */
export function onePageReply(message: string, lines: readonly Line[]): Reply {
  const { data, ...numbers } = onePage(lines.map(({ record }) => record));
  const texts = lines.map(({ text }) => text).join(",");
  const counts = JSON.stringify(numbers).slice(1);
  return {
    status: 200,
    text: `{"status":true,"message":${JSON.stringify(message)},"data":{"data":[${texts}],${counts}}`,
    envelope: { status: true, message, data: { data, ...numbers } },
  };
}
