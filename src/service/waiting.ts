import type { WatchedRequest } from "../contract/request.ts";
import type { StatusLine } from "../output/progress.ts";
import { safeText } from "../output/safe-text.ts";

interface Waiting {
  /** The origin of the service: `https://sms.example.com`. */
  readonly target: string;
  /** Milliseconds, never set back. */
  readonly elapsed: () => number;
  /** Columns of the terminal that shows the line. */
  readonly columns: () => number;
  readonly line: StatusLine;
  readonly say: (line: string) => Promise<void>;
}

interface Request {
  readonly begun: number;
  attempt: number;
  maxAttempts: number;
}

/** In milliseconds. */
const second = 1000;

/**
 * Returns what watches requests: the oldest of them is shown on a status line once it has taken a second, and
 * each retry is announced.
 */
export function createWaiting({
  target,
  elapsed,
  columns,
  line,
  say,
}: Waiting): () => WatchedRequest {
  /** The oldest first. */
  const active = new Set<Request>();
  let timer: NodeJS.Timeout | undefined;
  /** When the last announced pause is over, and its reason: concurrent requests often fail alike. */
  let announced = { until: -Infinity, reason: "" };

  const draw = (): void => {
    const [oldest] = active;
    if (oldest === undefined) return;
    const seconds = Math.round((elapsed() - oldest.begun) / second);
    void (seconds < 1 ? line.clear() : line.show(waitingText(target, oldest, seconds, columns())));
  };

  return () => {
    const request: Request = { begun: elapsed(), attempt: 1, maxAttempts: 1 };
    active.add(request);
    // The connection keeps the process alive, not this.
    timer ??= setInterval(draw, second).unref();
    return {
      attempt: (number, maxAttempts) => {
        request.attempt = number;
        request.maxAttempts = maxAttempts;
      },
      pause: async (milliseconds, reason) => {
        const now = elapsed();
        if (now < announced.until && reason === announced.reason) return;
        announced = { until: now + milliseconds, reason };
        const next = `attempt ${request.attempt + 1} of ${request.maxAttempts}`;
        await say(safeText(`${reason}; retrying in ${durationText(milliseconds)} (${next})`));
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

/** Returns the status line, cut to the terminal: a line that wraps cannot be removed. */
function waitingText(
  target: string,
  { attempt, maxAttempts }: Request,
  seconds: number,
  columns: number,
): string {
  const rest = `, attempt ${attempt} of ${maxAttempts}, ${seconds} s`;
  const begin = "waiting for ";
  // The last column stays empty: some terminals wrap after it.
  const room = columns - 1 - begin.length - rest.length;
  if (target.length <= room) return safeText(`${begin}${target}${rest}`);
  const isTiny = room < 10;
  return isTiny ? `waiting${rest}` : safeText(`${begin}${target.slice(0, room - 1)}…${rest}`);
}

function durationText(milliseconds: number): string {
  return milliseconds < 10 * second
    ? `${(milliseconds / second).toFixed(1)} s`
    : `${Math.round(milliseconds / second)} s`;
}
