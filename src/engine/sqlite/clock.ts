import type { Microseconds } from "../store.ts";

/**
 * Ruling 22: every time is later than all others in the database, even when the machine's clock was set
 * back. The newest is kept in the database, and read and written once for all writes of a transaction.
 */
export interface Clock {
  /** The first of so many times that are nobody else's. Within a transaction that writes. */
  readonly reserve: (count: number) => Microseconds;
  /** With the beginning of such a transaction. */
  readonly begin: () => void;
  /** Before its end. @param hasChanged whether anything was changed, times reserved or not */
  readonly end: (hasChanged: boolean) => void;
}

/**
 * @param write keeps the newest time; without one it only counts the transaction
 * @param now the time, in microseconds since 1970
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
