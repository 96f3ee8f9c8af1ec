/** As many requests are under way at once at most, and at first. */
const maxConcurrency = 16;
const initialConcurrency = 4;

/** Responses that are remembered to estimate the rate that a service accepts. */
const maxRemembered = 1000;

/** Milliseconds between two requests at most, and the least that is worth maintenance. */
const maxInterval = 10_000;
const minInterval = 5;

/** Accepted requests after which a slowed client tries to be a tenth faster. */
const recoverAfter = 25;

/** When a request may be sent, and what came of it. */
export interface Turn {
  /** To be called once the response has come. @param wait milliseconds that a rate limit asks for */
  readonly end: (outcome: "accepted" | "lost" | { readonly wait: number }) => void;
}

export interface Pace {
  /** Fulfilled when a request may be sent. Rejected when the program is asked to end. */
  readonly turn: () => Promise<Turn>;
  /** Lets no request begin for as many milliseconds. */
  readonly pause: (wait: number) => void;
}

interface Pause {
  readonly ends: number;
  /** Begun by the first request that has to wait. */
  over: Promise<void> | undefined;
}

/**
 * Paces all requests of a client together. After a 429 none begins until the service accepts requests again;
 * then fewer are under way at once, and they are spaced by the rate that was accepted before. Both recover
 * slowly.
 *
 * @param elapsed milliseconds since some moment
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
  /** How often the service has refused for the rate. Requests sent before that say nothing new. */
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
    const begin = Math.max(elapsed(), next);
    next = begin + interval;
    const wait = begin - elapsed();
    if (wait > 0) await sleep(wait);
  };

  const slowDown = (wait: number): void => {
    limitCount += 1;
    isLimited = true;
    acceptedSinceLimit = 0;
    concurrency = Math.max(1, Math.floor(Math.min(concurrency, active) / 2));
    // As many were accepted in the time that the service counts, as far as can be seen.
    const count = accepted.filter((time) => time > elapsed() - wait).length;
    const estimate = count === 0 ? 0 : wait / count;
    interval = Math.min(maxInterval, Math.max(estimate, interval * 1.25));
  };

  const accept = (): void => {
    accepted = [...accepted.slice(1 - maxRemembered), elapsed()];
    acceptedSinceLimit += 1;
    // One request after another says nothing of how many the service takes at once.
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
          // One may have begun while this request waited.
        } while (isPaused());
      } catch (error) {
        leave();
        throw error;
      }
      const begun = limitCount;
      return {
        end: (outcome) => {
          if (outcome === "accepted") accept();
          else if (outcome !== "lost") {
            if (begun === limitCount) slowDown(outcome.wait);
            pauseFor(outcome.wait);
          }
          leave();
        },
      };
    },
  };
}
