import type { Output } from "../output/output.ts";
import { safeText } from "../output/safe-text.ts";
import { stderrLine, type RequestLogEntry } from "./served-request.ts";

export interface RequestLog {
  readonly served: (served: RequestLogEntry) => void;
  /** Resolves when all lines are written. */
  readonly flush: () => Promise<void>;
}

/**
 * Logs each request as a line on stderr: readable at a terminal, JSON otherwise. The lines of one turn of the event
 * loop are written together.
 */
export function createRequestLog(
  output: Pick<Output, "say" | "isWatched">,
  quiet: boolean,
): RequestLog {
  let lines: string[] = [];
  let written: Promise<void> = Promise.resolve();
  const write = (): void => {
    const text = lines.join("\n");
    lines = [];
    written = written.then(() => output.say(text));
  };
  return {
    served: (served) => {
      if (quiet) return;
      if (lines.length === 0) setImmediate(write);
      lines.push(output.isWatched() ? line(served) : stderrLine(served));
    },
    flush: async () => {
      if (lines.length > 0) write();
      await written;
    },
  };
}

function line({ method, path, status, milliseconds, fault }: RequestLogEntry): string {
  const time = new Date().toTimeString().slice(0, 8);
  const text = `${time} ${method} ${path} ${status ?? "-"} ${milliseconds.toFixed(1)} ms`;
  return safeText(fault === undefined ? text : `${text} · fault ${fault}`);
}
