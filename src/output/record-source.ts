import type { RecordStream } from "../contract/contacts.ts";
import type { Progress } from "./progress.ts";
import { type RecordSource, lineOf } from "../service/lines.ts";

/** Creates a source of records that this process reads. */
export function recordSource(stream: RecordStream<object>, progress: Progress): RecordSource {
  return async ({ add }) => {
    if ("refusal" in stream) return stream;
    let count = 0;
    for await (const records of stream.pages) {
      await add(records.map(lineOf));
      count += records.length;
      await progress.update(`${count} read`);
    }
    return { message: stream.message };
  };
}
