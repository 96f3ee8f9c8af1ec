import type { RecordStream } from "../../contract/contacts.ts";
import type { RecordSource } from "../output.ts";
import type { Progress } from "../progress.ts";
import { lineOf, type Line } from "../replies.ts";

/** Creates a source of records that this process reads. */
export function recordSource(stream: RecordStream<object>, progress: Progress): RecordSource {
  if ("refusal" in stream) {
    return { whole: async () => stream, each: async () => stream.refusal };
  }
  const read = async (
    show: (lines: readonly Line[]) => Promise<void>,
    done: string,
  ): Promise<void> => {
    let count = 0;
    for await (const some of stream.pages) {
      await show(some.map(lineOf));
      count += some.length;
      await progress.update(`${count} ${done}`);
    }
  };
  return {
    whole: async ({ add }) => {
      await read(add, "read");
      return stream;
    },
    each: async (show) => {
      await read(show, "shown");
      return undefined;
    },
  };
}
