import type { RecordStream } from "../../contract/contacts.ts";
import { type RecordSource, lineOf } from "../../service/lines.ts";
import { failureOf } from "../../service/refusals.ts";
import type { WatchedRequest } from "../../contract/request.ts";
import { safeText } from "../../core/text.ts";

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
    /** Replaces the text, after the first second, and at most once per refresh interval. */
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

interface Waiting {
  /** The origin of the service: `https://sms.example.com`. */
  readonly target: string;
  /** Monotonic time in milliseconds. */
  readonly elapsed: () => number;
  /** Returns the width of the terminal in columns. */
  readonly columns: () => number;
  readonly line: StatusLine;
}

interface Request {
  readonly startedAt: number;
  attempt: number;
  maxAttempts: number;
}

/** Milliseconds. */
const second = 1000;

/** Creates a status line: the oldest request after a second, and the reason of each retry. */
export function createWaiting({ target, elapsed, columns, line }: Waiting): () => WatchedRequest {
  /** Requests in flight, oldest first. */
  const active = new Set<Request>();
  let timer: NodeJS.Timeout | undefined;

  const draw = (): void => {
    const [oldest] = active;
    if (oldest === undefined) return;
    const seconds = Math.round((elapsed() - oldest.startedAt) / second);
    void (seconds < 1 ? line.clear() : line.show(waitingText(target, oldest, seconds, columns())));
  };

  return () => {
    const request: Request = { startedAt: elapsed(), attempt: 1, maxAttempts: 1 };
    active.add(request);
    // Only the connection should keep the process alive.
    timer ??= setInterval(draw, second).unref();
    return {
      attempt: (number, maxAttempts) => {
        request.attempt = number;
        request.maxAttempts = maxAttempts;
      },
      pause: async (milliseconds, reason) => {
        const next = attemptText(request.attempt + 1, request.maxAttempts);
        const retry = `${retryText(milliseconds)} (${next})`;
        const text = safeText(`${reason}; ${retry}`);
        await line.show(text.length < columns() ? text : retry);
      },
      end: async () => {
        active.delete(request);
        if (active.size > 0) return;
        clearInterval(timer);
        timer = undefined;
        await line.clear();
      },
    };
  };
}

/** Creates the observer that prints each retry on a line of its own, for logs. */
export function sayRetries(say: (line: string) => Promise<void>): () => WatchedRequest {
  return () => {
    let next = "";
    return {
      attempt: (number, maxAttempts) => {
        next = attemptText(number + 1, maxAttempts);
      },
      pause: (milliseconds, reason) =>
        say(safeText(`${reason}; ${retryText(milliseconds)} (${next})`)),
      end: async () => {},
    };
  };
}

/** Names an attempt. The number of those after a 429 is open. */
function attemptText(number: number, max: number): string {
  return number > max ? `attempt ${number}` : `attempt ${number} of ${max}`;
}

/** Returns when a request is retried. A wait that rounds to nothing is not shown. */
function retryText(milliseconds: number): string {
  const seconds = (milliseconds / second).toFixed(1);
  return seconds === "0.0" ? "retrying now" : `retrying in ${seconds} s`;
}

/** Returns the status line, without the target if too long: a wrapped line is not cleared. */
function waitingText(
  target: string,
  { attempt, maxAttempts }: Request,
  seconds: number,
  columns: number,
): string {
  const suffix = `, ${attemptText(attempt, maxAttempts)}, ${seconds} s`;
  const text = safeText(`waiting for ${target}${suffix}`);
  // Some terminals wrap after the last column, so it stays empty.
  return text.length < columns ? text : `waiting${suffix}`;
}
