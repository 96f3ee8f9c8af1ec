import { type Page, type Reply, onePage, onePageNumbers } from "../contract/service.ts";
import { SendctlError } from "../core/error.ts";
import { dataText, jsonText, pageItems } from "../core/json-text.ts";

/** The number of records in a list, or the least that it can be. */
export interface Total {
  readonly total: number;
  readonly isTotalAtLeast?: true | undefined;
}

/** A parsed record and its original JSON text. */
export interface Line {
  readonly record: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** Takes the records of a list, in their final order. */
export interface RecordSink {
  readonly add: (lines: readonly Line[]) => Promise<void>;
  /** Drops all records to read the list again. Absent if they were already shown. */
  readonly clear?: () => void;
}

/** Reads all records of a list. @returns the message of the service @throws Refusal */
export type RecordSource = (sink: RecordSink) => Promise<string>;

/** Returns a record that sendctl created as a line. */
export function lineOf(record: object): Line {
  return { record: record as Line["record"], text: jsonText(record) };
}

/** Returns the record of a reply. */
export function recordLine(reply: Reply): Line {
  return { record: reply.envelope!.data as Line["record"], text: dataText(reply.text) };
}

/**
 * Returns the records of a page and extracts their texts when the first one is read. Each line
 * keeps the whole page in memory.
 *
 * @throws SendctlError "unexpected_response" if the number of records is ambiguous
 */
export function linesOf(reply: Reply): Line[] {
  const { data } = reply.envelope!.data as Page<Line["record"]>;
  let texts: readonly string[] | undefined;
  return data.map((record, index) => ({
    record,
    get text() {
      texts ??= pageItems(reply.text);
      if (texts.length === data.length) return texts[index]!;
      throw new SendctlError("unexpected_response", "invalid response: duplicate `data` field");
    },
  }));
}

/** Returns the reply of a command that is not an operation of the service. */
export function doneReply(message: string, data: unknown): Reply {
  const envelope = { status: true, message, data };
  return { status: 200, text: jsonText(envelope), envelope };
}

/**
 * Returns a list as a reply of one page, with the original text of each record.
 *
 * @param error of records that are missing. Only the text, which `--json` prints, has it: other
 *   formats show the records of the envelope as usual.
 */
export function onePageReply(message: string, lines: readonly Line[], error?: object): Reply {
  const texts = lines.map(({ text }) => text).join(",");
  const data = onePage(lines.map(({ record }) => record));
  return {
    status: 200,
    text: onePageText(message, texts, lines.length, error),
    envelope: { status: true, message, data },
  };
}

/** Returns the envelope of a list on one page. @param texts the records, with commas between */
export function onePageText(message: string, texts: string, count: number, error?: object): string {
  const counts = JSON.stringify(onePageNumbers(count)).slice(1);
  const start = `{"status":${error === undefined},"message":${JSON.stringify(message)}`;
  const end = error === undefined ? "" : `,"error":${JSON.stringify(error)}`;
  return `${start},"data":{"data":[${texts}],${counts}${end}}`;
}

/** Returns a note that a page is incomplete, with the way to the rest; else undefined. */
export function missingText(reply: Reply): string | undefined {
  const page = reply.envelope!.data as Page<unknown>;
  const { length } = page.data;
  if (length >= page.total) return undefined;
  if (length === 0 && page.current_page > page.last_page) {
    return `page ${page.current_page} is empty: the last page is ${page.last_page}`;
  }
  const position = page.current_page > 1 ? `page ${page.current_page} of ${page.last_page}: ` : "";
  return `${position}${length} of ${totalText(page)} records; --all for the rest`;
}

/** Returns the number of records in a list for a message. */
export function totalText({ total, isTotalAtLeast }: Total): string {
  return `${isTotalAtLeast === true ? "at least " : ""}${total}`;
}

/** Remembers records by id. Whole numbers are bits: a million in sequence take little memory. */
export function createSeen() {
  const bits = new Map<number, number>();
  const others = new Set<string>();
  return {
    /** Returns whether a record was not read before. */
    add: (line: Line): boolean => {
      const { id } = line.record;
      if (Number.isSafeInteger(id)) {
        const block = Math.floor((id as number) / 32);
        const before = bits.get(block) ?? 0;
        // A shift counts modulo 32.
        const after = before | (1 << (id as number));
        bits.set(block, after);
        return after !== before;
      }
      const isId = ["bigint", "number", "string"].includes(typeof id);
      const key = isId ? String(id) : line.text;
      return others.size < others.add(key).size;
    },
  };
}
