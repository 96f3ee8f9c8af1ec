import type { RecordStream } from "../contract/contacts.ts";
import { type RecordSource, lineOf } from "../service/lines.ts";

/** A line of progress at the bottom of a terminal. */
export interface Progress {
  /** Replaces the text. Does nothing in the first second, and at most once per refresh interval after that. */
  readonly update: (text: string) => Promise<void>;
  /** Removes the line. */
  readonly done: () => Promise<void>;
}

/** A line at the bottom of a terminal that shows what sendctl is waiting for. */
export interface StatusLine {
  readonly show: (text: string) => Promise<void>;
  readonly clear: () => Promise<void>;
}

/** Creates a status line. @param rewriteLine replaces the last line of the terminal */
export function createStatusLine(rewriteLine: (text: string) => Promise<void>): StatusLine {
  let isShown = false;
  return {
    show: async (text) => {
      isShown = true;
      await rewriteLine(text);
    },
    clear: async () => {
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

/**
 * Creates progress on a line.
 *
 * @param elapsed monotonic time in milliseconds
 * @param isStderrTerminal whether a terminal shows the line
 */
export function createProgress(
  line: StatusLine,
  elapsed: () => number,
  isStderrTerminal: () => boolean,
): Progress {
  const startedAt = elapsed();
  let shownAt: number | undefined;
  return {
    update: async (text) => {
      const now = elapsed();
      if (!isStderrTerminal() || now - startedAt < delay) return;
      if (shownAt !== undefined && now - shownAt < refresh) return;
      shownAt = now;
      await line.show(text);
    },
    done: line.clear,
  };
}

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
