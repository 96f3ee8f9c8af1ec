import { SendctlError } from "../../contract/error.ts";
import type { Microseconds, ReviewStore } from "../store.ts";

/** Approves sender IDs that have been PENDING for long enough, from when it is started until it is stopped. */
export interface Approval {
  /** Approves what is due by now, where the database can be used just now. */
  readonly approve: () => Promise<void>;
  readonly start: () => void;
  /** Fulfilled when nothing is under way any more. */
  readonly stop: () => Promise<void>;
}

/** In milliseconds, from one look to the next: others may create sender IDs, and say nothing of it. */
const minPauseMs = 50;
const maxPauseMs = 1000;

/** So many are approved in one go: other writes have their turn in between. */
const batch = 500;

/**
 * @param after milliseconds that a sender ID stays PENDING; 0 for as soon as it is there
 * @param clocks the time, in microseconds since 1970; and milliseconds that are never set back
 * @param defect told of what nobody foresaw; a database that can't be used just now is tried again
 */
export function createApproval(
  store: ReviewStore,
  after: number,
  { now, elapsed }: { readonly now: () => Microseconds; readonly elapsed: () => number },
  defect: (error: unknown) => void,
): Approval {
  const pause = Math.min(maxPauseMs, Math.max(minPauseMs, after));
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> = Promise.resolve();
  let isStopped = false;

  /** Since when the oldest is ahead of a clock that was set back, in milliseconds of the one that never is. */
  let aheadSince: number | undefined;

  /** Milliseconds until the oldest is due. */
  const wait = async (): Promise<number> => {
    const oldest = await store.oldestPending();
    const ahead = oldest === undefined ? 0 : oldest - now();
    // created_at rises strictly: it is ahead until the clock has caught up, be that tomorrow. Until then it
    // can't be told how long ago it was, and what is there counts from when the first of it was seen.
    aheadSince = ahead > 0 ? (aheadSince ?? elapsed()) : undefined;
    if (oldest === undefined) return Infinity;
    if (after === 0) return 0;
    const age = aheadSince === undefined ? -ahead / 1000 : elapsed() - aheadSince;
    return Math.ceil(after - age);
  };

  /** Milliseconds until the next is due, as far as can be known. */
  const approve = async (): Promise<number> => {
    try {
      for (;;) {
        const next = await wait();
        if (isStopped || next > 0) return next;
        const isAll = after === 0 || aheadSince !== undefined;
        const until = isAll ? Number.MAX_SAFE_INTEGER : now() - after * 1000;
        await store.approvePendingBefore(until, batch);
      }
    } catch (error) {
      if (!(error instanceof SendctlError)) defect(error);
      return Infinity;
    }
  };

  const look = async (): Promise<void> => {
    const next = await approve();
    if (!isStopped) timer = setTimeout(start, Math.min(pause, next));
  };
  const start = (): void => void (looking = look());

  return {
    approve: async () => void (await approve()),
    start,
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
      return looking;
    },
  };
}
