import { setTimeout as sleep } from "node:timers/promises";

/** Milliseconds, on a machine with much else to do: less than any test may take. */
const longest = 25_000;

/** Waits until something holds, and fails with its name where it does not in time. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  pause = 10,
): Promise<void> {
  const giveUpAt = performance.now() + longest;
  while (!(await holds())) {
    if (performance.now() > giveUpAt) throw new Error(`Still not so: ${what}`);
    await sleep(pause);
  }
}

/** Waits for a result, and fails with its name where it does not come in time. */
export async function inTime<Result>(what: string, result: Promise<Result>): Promise<Result> {
  const over = new AbortController();
  const tooLate = async (): Promise<never> => {
    await sleep(longest, undefined, { signal: over.signal });
    throw new Error(`Did not happen: ${what}`);
  };
  try {
    return await Promise.race([result, tooLate()]);
  } finally {
    over.abort();
  }
}
