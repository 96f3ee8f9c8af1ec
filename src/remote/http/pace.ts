/** Requests in flight: the maximum, and the limit at the start. */
const maxConcurrency = 16;
const initialConcurrency = 4;

/** Accepted requests remembered to estimate the rate that a service accepts. */
const maxRemembered = 1000;

/** Bounds of the interval between requests, in milliseconds; a shorter one is dropped. */
const maxInterval = 10_000;
const minInterval = 5;

/** Accepted requests after which a throttled client speeds up by a tenth. */
const recoverAfter = 25;

/** Permission to send one request. */
export interface Turn {
  /** Reports the outcome of the request. @param wait milliseconds that a rate limit asks for */
  readonly end: (outcome: "accepted" | "lost" | { readonly wait: number }) => void;
}

export interface Pace {
  /** Resolves when a request may be sent. Rejects when the program is interrupted. */
  readonly turn: () => Promise<Turn>;
  /** Holds back all new requests for `wait` milliseconds. */
  readonly pause: (wait: number) => void;
}

interface Pause {
  readonly ends: number;
  /** Started by the first request that waits. */
  over: Promise<void> | undefined;
}

/**
 * Creates the pace of all requests of a client. After a 429, no request starts until the service accepts requests
 * again; then fewer run concurrently, spaced by the rate that was accepted before. Both limits recover slowly.
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
  let accepted: readonly number[] = [];
  let interval = 0;
  let next = -Infinity;
  let acceptedSinceLimit = 0;
  let isLimited = false;
  let pause: Pause | undefined;
  /** Number of rate limits hit. A 429 to a request sent before the last one is not counted again. */
  let limitCount = 0;

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

  const pauseFor = (wait: number): void => {
    const ends = elapsed() + wait;
    if (pause === undefined || ends > pause.ends) pause = { ends, over: undefined };
  };

  const pauseOver = async (): Promise<void> => {
    while (pause !== undefined) {
      const current: Pause = pause;
      current.over ??= sleep(Math.max(0, current.ends - elapsed()));
      await current.over;
      if (pause === current) {
        pause = undefined;
        next = elapsed();
      }
    }
  };

  const isPaused = (): boolean => pause !== undefined;

  const spaced = async (): Promise<void> => {
    if (interval === 0) return;
    const start = Math.max(elapsed(), next);
    next = start + interval;
    const wait = start - elapsed();
    if (wait > 0) await sleep(wait);
  };

  const slowDown = (wait: number): void => {
    limitCount += 1;
    isLimited = true;
    acceptedSinceLimit = 0;
    concurrency = Math.max(1, Math.floor(Math.min(concurrency, active) / 2));
    // The window of the service's limit is not known; the requested wait approximates it.
    const count = accepted.filter((time) => time > elapsed() - wait).length;
    const estimate = count === 0 ? 0 : wait / count;
    interval = Math.min(maxInterval, Math.max(estimate, interval * 1.25));
  };

  const accept = (): void => {
    accepted = [...accepted.slice(1 - maxRemembered), elapsed()];
    acceptedSinceLimit += 1;
    // Only requests at the current limit show that the service could accept more.
    const isUsed = active >= concurrency;
    if (
      isUsed &&
      concurrency < maxConcurrency &&
      (!isLimited || acceptedSinceLimit % recoverAfter === 0)
    )
      concurrency += 1;
    if (acceptedSinceLimit % recoverAfter === 0)
      interval = interval * 0.9 < minInterval ? 0 : interval * 0.9;
  };

  return {
    pause: pauseFor,
    turn: async () => {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        admit();
      });
      try {
        do {
          await pauseOver();
          await spaced();
          // Another pause may have started while this request waited.
        } while (isPaused());
      } catch (error) {
        leave();
        throw error;
      }
      const limitCountBefore = limitCount;
      return {
        end: (outcome) => {
          if (outcome === "accepted") accept();
          else if (outcome !== "lost") {
            if (limitCountBefore === limitCount) slowDown(outcome.wait);
            pauseFor(outcome.wait);
          }
          leave();
        },
      };
    },
  };
}
