/** A simulated clock that advances only while all callers sleep, so that waiting takes no time. */
export interface Clock {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Delays the clock, because a request is in flight. */
  readonly stir: () => void;
}

interface Sleeper {
  readonly end: number;
  readonly wake: () => void;
}

/** Turns of the event loop without activity after which all callers are assumed to sleep. */
const quietTurns = 40;

/** Longer sleeps, in milliseconds, never end, so that the time limit of a whole command is never reached. */
const maxSleep = 60_000;

/** A time within a second: records of a whole second look as if their service stored only seconds. */
const defaultStart = Date.UTC(2026, 1, 2, 8, 0, 0, 123);

/** Creates a clock. @param start milliseconds since 1970 */
export function createClock(start = defaultStart): Clock {
  let now = start;
  let quiet = 0;
  let isRunning = false;
  let sleepers: readonly Sleeper[] = [];

  const turn = (): void => {
    isRunning = sleepers.length > 0;
    if (!isRunning) return;
    quiet += 1;
    if (quiet >= quietTurns) {
      quiet = 0;
      now = Math.max(now, Math.min(...sleepers.map(({ end }) => end)));
      const awake = sleepers.filter(({ end }) => end <= now);
      sleepers = sleepers.filter(({ end }) => end > now);
      for (const { wake } of awake) wake();
    }
    setImmediate(turn);
  };

  const sleep = (milliseconds: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const stopped = (): void => {
        sleepers = sleepers.filter((one) => one !== sleeper);
        reject(signal.reason as Error);
      };
      const wake = (): void => {
        signal.removeEventListener("abort", stopped);
        resolve();
      };
      const sleeper: Sleeper = { end: now + milliseconds, wake };
      if (signal.aborted) return stopped();
      if (milliseconds === 0) return void setImmediate(resolve);
      signal.addEventListener("abort", stopped, { once: true });
      if (milliseconds > maxSleep) return undefined;
      quiet = 0;
      sleepers = [...sleepers, sleeper];
      if (!isRunning) setImmediate(turn);
      isRunning = true;
    });

  return { now: () => now, sleep, stir: () => (quiet = 0) };
}
