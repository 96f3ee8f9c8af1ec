import type { Microseconds } from "../store.ts";

/**
 * Issues times that are later than every other time in the database, even if the system clock was
 * set back (ruling 22). The newest time is stored in the database, and is read and written once per
 * transaction.
 */
export interface Clock {
  /**
   * Reserves `count` consecutive times and returns the first. Call it inside a write transaction.
   */
  readonly reserve: (count: number) => Microseconds;
  /** Call at the start of a write transaction. */
  readonly begin: () => void;
  /**
   * Call before the transaction ends.
   *
   * @param hasChanged whether any row changed, even if no time was reserved
   */
  readonly end: (hasChanged: boolean) => void;
}

/**
 * @param write stores the newest time; without an argument it only counts the transaction
 * @param now returns the current time, in microseconds since 1970
 */
export function createClock(
  read: () => Microseconds,
  write: (newest?: Microseconds) => void,
  now: () => Microseconds,
): Clock {
  let newest: Microseconds | undefined;
  return {
    reserve: (count) => {
      const first = Math.max((newest ?? read()) + 1, Math.floor(now()));
      newest = first + count - 1;
      return first;
    },
    begin: () => {
      newest = undefined;
    },
    end: (hasChanged) => {
      if (newest !== undefined || hasChanged) write(newest);
    },
  };
}
