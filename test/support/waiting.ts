import { setTimeout as sleep } from "node:timers/promises";

/** Time limit in milliseconds, for a busy machine; shorter than the time limit of tests. */
const maxWait = 25_000;

/** Waits until a condition holds. @throws Error with its name after the time limit */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  pause = 10,
): Promise<void> {
  const giveUpAt = performance.now() + maxWait;
  while (!(await holds())) {
    if (performance.now() > giveUpAt) throw new Error(`still not true: ${what}`);
    await sleep(pause);
  }
}

/** Waits for a result. @throws Error with its name after the time limit */
export async function inTime<Result>(what: string, result: Promise<Result>): Promise<Result> {
  const over = new AbortController();
  const tooLate = async (): Promise<never> => {
    await sleep(maxWait, undefined, { signal: over.signal });
    throw new Error(`did not happen in time: ${what}`);
  };
  try {
    return await Promise.race([result, tooLate()]);
  } finally {
    over.abort();
  }
}
