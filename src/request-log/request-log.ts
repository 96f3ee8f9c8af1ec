import type { Output } from "../output/output.ts";
import { safeText } from "../output/safe-text.ts";
import type { RequestLogEntry, Retry } from "../contract/served-request.ts";

export interface RequestLog {
  readonly served: (served: RequestLogEntry) => void;
  readonly retried: (retry: Retry) => void;
  /** Resolves when all lines are written. */
  readonly flush: () => Promise<void>;
}

interface RequestLogOptions {
  /** Name of this server in the lines. */
  readonly instance: string;
  /** Whether to write to stderr. */
  readonly isPrinted: boolean;
  /** Adds a line to the file of the log. */
  readonly addToFile: (line: string) => void;
}

/**
 * Logs each request in a file and on stderr: readable at a terminal, JSON otherwise, without the query. The lines of one
 * turn of the event loop are written together.
 */
export function createRequestLog(
  output: Pick<Output, "say" | "isWatched">,
  { instance, isPrinted, addToFile }: RequestLogOptions,
): RequestLog {
  let lines: string[] = [];
  let written: Promise<void> = Promise.resolve();
  const write = (): void => {
    const text = lines.join("\n");
    lines = [];
    written = written.then(() => output.say(text));
  };
  const print = (line: string): void => {
    if (lines.length === 0) setImmediate(write);
    lines.push(line);
  };
  return {
    served: (served) => {
      const { path, query } = served;
      const line = logLine(served, instance, query === "" ? path : `${path}?${query}`);
      addToFile(line);
      if (!isPrinted) return;
      if (output.isWatched()) print(readable(served));
      else print(query === "" ? line : logLine(served, instance, path));
    },
    retried: (retry) => {
      const line = retryLine(retry, instance);
      addToFile(line);
      if (isPrinted) print(output.isWatched() ? readableRetry(retry) : line);
    },
    flush: async () => {
      if (lines.length > 0) write();
      await written;
    },
  };
}

/**
 * Returns the log line of a request, without undefined fields.
 *
 * @param instance name of the server
 * @param path with or without the query
 */
function logLine(served: RequestLogEntry, instance: string, path: string): string {
  const { method, status, milliseconds, requestId, client, operation, caller, fault } = served;
  const { cause, code, attempts, waited } = served.failure ?? {};
  return JSON.stringify({
    time: new Date().toISOString(),
    method,
    path,
    status,
    ms: tenths(milliseconds),
    request_id: requestId,
    instance,
    client,
    operation,
    key_id: caller === undefined ? undefined : Number(caller),
    cause,
    code,
    attempts,
    waited_ms: waited === undefined ? undefined : tenths(waited),
    fault,
  });
}

function retryLine({ waited, ...retry }: Retry, instance: string): string {
  const time = new Date().toISOString();
  return JSON.stringify({ time, event: "retry", instance, ...retry, waited_ms: tenths(waited) });
}

/** Rounds milliseconds to tenths. */
function tenths(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10;
}

function clockTime(): string {
  return new Date().toTimeString().slice(0, 8);
}

function readable({ method, path, status, milliseconds, fault, failure }: RequestLogEntry): string {
  const text = `${clockTime()} ${method} ${path} ${status ?? "-"} ${milliseconds.toFixed(1)} ms`;
  const causes = failure === undefined ? [] : [failureWords(failure.cause, failure.code)];
  const faults = fault === undefined ? [] : [`fault ${fault}`];
  return safeText([text, ...causes, ...faults].join(" · "));
}

function readableRetry({ work, requests, code, attempt }: Retry): string {
  const count = `${requests} ${requests === 1 ? "request" : "requests"}`;
  return safeText(
    `${clockTime()} attempt ${attempt} of a ${work} failed (${code}); retrying ${count}`,
  );
}

/** Returns a cause and its code, if it has one: `locked 55P03`. */
export function failureWords(cause: string, code: string | null | undefined): string {
  return code === null || code === undefined ? cause : `${cause} ${code}`;
}
