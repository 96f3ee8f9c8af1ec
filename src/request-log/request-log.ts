import type { Context } from "../cli/capabilities.ts";
import { safeText } from "../output/safe-text.ts";
import { narratedLine, type Served } from "./served-request.ts";

export interface RequestLog {
  readonly served: (served: Served) => void;
  /** Fulfilled when all lines are written. */
  readonly flush: () => Promise<void>;
}

/**
 * A line a request on stderr: for a person at a terminal, as JSON elsewhere. The lines of one turn of the
 * event loop are written together.
 */
export function createRequestLog(context: Context): RequestLog {
  let lines: string[] = [];
  let written: Promise<void> = Promise.resolve();
  const write = (): void => {
    const text = lines.join("\n");
    lines = [];
    written = written.then(() => context.output.say(text));
  };
  return {
    served: (served) => {
      if (context.settings.quiet) return;
      if (lines.length === 0) setImmediate(write);
      lines.push(context.output.isWatched() ? line(served) : narratedLine(served));
    },
    flush: async () => {
      if (lines.length > 0) write();
      await written;
    },
  };
}

function line({ method, path, status, milliseconds, fault }: Served): string {
  const time = new Date().toTimeString().slice(0, 8);
  const text = `${time} ${method} ${path} ${status ?? "-"} ${milliseconds.toFixed(1)} ms`;
  return safeText(fault === undefined ? text : `${text} · fault ${fault}`);
}
