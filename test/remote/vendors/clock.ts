/** A clock that only moves while somebody sleeps, so that nothing takes any time. */
export interface Clock {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Keeps the clock still a little longer, because something is under way. */
  readonly stir: () => void;
}

interface Sleeper {
  readonly end: number;
  readonly wake: () => void;
}

/** Turns of the event loop without any activity, after which everybody is taken to be asleep. */
const quietTurns = 40;

/** In milliseconds. The time limit of a whole command never ends: it is as long as minutes. */
const maxSleep = 60_000;

/** @param start milliseconds since 1970 */
export function createClock(start = Date.UTC(2026, 1, 2, 8)): Clock {
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
