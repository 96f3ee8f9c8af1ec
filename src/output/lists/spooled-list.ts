import { stayLean } from "../../runtime/lean-memory.ts";
import type { Spool } from "../../runtime/spool.ts";
import type { LongList } from "../formats/format.ts";
import { onePageText, type Line } from "../replies.ts";
import type { Redact } from "../secrets/redact.ts";

/** A list in a temporary file. */
export interface SpooledList {
  readonly add: (lines: readonly Line[]) => Promise<void>;
  readonly print: (message: string) => Promise<void>;
  readonly remove: () => void;
}

/** Number of records to format at a time. V8 keeps longer texts in memory for longer. */
const batchSize = 100;

/** @param isUnread returns whether the reader of stdout is gone */
export async function spooledList(
  list: LongList,
  spool: Spool,
  redact: Redact,
  isUnread: () => boolean,
): Promise<SpooledList> {
  await stayLean();
  let count = 0;
  const pieces = function* (): Generator<string> {
    for (const piece of spool.pieces()) {
      if (isUnread()) return;
      yield piece;
    }
  };
  return {
    add: async (lines) => {
      for (let at = 0; at < lines.length; at += batchSize) {
        const batch = lines.slice(at, at + batchSize).map(redact.line);
        spool.write(await list.text(batch, count === 0));
        count += batch.length;
      }
    },
    print: (message) => {
      const text = onePageText(message, "null", count);
      return list.print(redact.reply({ status: 200, text, envelope: undefined }).text, pieces());
    },
    remove: spool.close,
  };
}
