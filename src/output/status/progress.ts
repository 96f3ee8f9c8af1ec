import type { RecordStream } from "../../contract/contacts.ts";
import { type RecordSource, lineOf } from "../../service/lines.ts";
import { failureOf } from "../../service/refusals.ts";

/** A line of progress at the bottom of a terminal. */
export type Progress = ReturnType<typeof createProgress>;

/** A line at the bottom of a terminal that shows what sendctl is waiting for. */
export type StatusLine = ReturnType<typeof createStatusLine>;

/** Creates a status line. @param rewriteLine replaces the last line of the terminal */
export function createStatusLine(rewriteLine: (text: string) => Promise<void>) {
  let isShown = false;
  return {
    show: async (text: string): Promise<void> => {
      isShown = true;
      await rewriteLine(text);
    },
    clear: async (): Promise<void> => {
      if (!isShown) return;
      isShown = false;
      await rewriteLine("");
    },
  };
}

/** Time before progress is shown, in milliseconds. */
const delay = 1000;
/** Minimum time between two updates, in milliseconds. */
const refresh = 100;

/** Creates progress on a line. @param elapsed monotonic time in milliseconds */
export function createProgress(line: StatusLine, elapsed: () => number) {
  const startedAt = elapsed();
  let shownAt: number | undefined;
  return {
    /** Replaces the text. Does nothing in the first second, and at most once per refresh interval after that. */
    update: async (text: string): Promise<void> => {
      const now = elapsed();
      if (now - startedAt < delay) return;
      if (shownAt !== undefined && now - shownAt < refresh) return;
      shownAt = now;
      await line.show(text);
    },
    /** Removes the line. */
    done: line.clear,
  };
}

/** Creates a source of records that this process reads. */
export function recordSource(stream: RecordStream<object>, progress: Progress): RecordSource {
  return async ({ add }) => {
    if ("refusal" in stream) throw failureOf(stream.refusal);
    let count = 0;
    for await (const records of stream.pages) {
      await add(records.map(lineOf));
      count += records.length;
      await progress.update(`${count} read`);
    }
    return stream.message;
  };
}
