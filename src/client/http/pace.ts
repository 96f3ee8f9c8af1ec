/** Requests in flight: the maximum, and the limit at the start. */
const maxConcurrency = 16;
const initialConcurrency = 4;

/** Accepted requests after which a slowed client sends one more at once. */
const recoverAfter = 25;

/** Permission to send one request. */
export interface Turn {
  /** Reports the outcome of the request. @param wait milliseconds until the next request after a rate limit */
  readonly end: (outcome: "accepted" | "lost" | { readonly wait: number }) => void;
}

export interface Pace {
  /** Resolves when a request may be sent. Rejects when the program is interrupted. */
  readonly turn: () => Promise<Turn>;
  /** Returns the number of requests that were accepted so far. */
  readonly accepted: () => number;
}

interface Pause {
  readonly ends: number;
  /** Started by the first request that waits. */
  over: Promise<void> | undefined;
}

/**
 * Creates the pace of all requests of a client. After a 429 no request starts before the pause that the service asks for,
 * and then half as many run at once. The number recovers slowly.
 *
 * @param elapsed monotonic time in milliseconds
 */
export function createPace(
  elapsed: () => number,
  sleep: (milliseconds: number) => Promise<void>,
): Pace {
  let concurrency = initialConcurrency;
  let active = 0;
  const waiting: (() => void)[] = [];
  let accepted = 0;
  let pause: Pause | undefined;
  /** Number of rate limits hit. A 429 to a request sent before the last one is not counted again. */
  let limits = 0;

  const admit = (): void => {
    while (active < concurrency && waiting.length > 0) {
      active += 1;
      waiting.shift()!();
    }
  };

  const leave = (): void => {
    active -= 1;
    admit();
  };

  const pauseOver = async (): Promise<void> => {
    while (pause !== undefined) {
      const current: Pause = pause;
      current.over ??= sleep(Math.max(0, current.ends - elapsed()));
      await current.over;
      if (pause === current) pause = undefined;
    }
  };

  const accept = (): void => {
    accepted += 1;
    // Only requests at the current limit show that the service could accept more.
    const isUsed = active >= concurrency && concurrency < maxConcurrency;
    if (isUsed && (limits === 0 || accepted % recoverAfter === 0)) concurrency += 1;
  };

  const slowDown = (wait: number, limitsBefore: number): void => {
    if (limitsBefore === limits) {
      limits += 1;
      concurrency = Math.max(1, Math.floor(Math.min(concurrency, active) / 2));
    }
    const ends = elapsed() + wait;
    if (pause === undefined || ends > pause.ends) pause = { ends, over: undefined };
  };

  return {
    accepted: () => accepted,
    turn: async () => {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        admit();
      });
      try {
        await pauseOver();
      } catch (error) {
        leave();
        throw error;
      }
      const limitsBefore = limits;
      return {
        end: (outcome) => {
          if (outcome === "accepted") accept();
          else if (outcome !== "lost") slowDown(outcome.wait, limitsBefore);
          leave();
        },
      };
    },
  };
}
