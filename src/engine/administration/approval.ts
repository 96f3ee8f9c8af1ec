import { SendctlError } from "../../core/error.ts";
import type { Microseconds, ReviewStore } from "../store/store.ts";

/** Approves sender IDs automatically once they have been PENDING for a given time. */
export type Approval = ReturnType<typeof createApproval>;

/** Bounds of the polling interval. Polling is needed because other processes may create sender IDs. */
const minPauseMs = 50;
const maxPauseMs = 1000;

/** Sender IDs approved per transaction, so that other writes can run in between. */
const batch = 500;

/**
 * @param after milliseconds that a sender ID stays PENDING; 0 to approve it at once
 * @param clocks `now` is the time in microseconds since 1970, `elapsed` is monotonic, in milliseconds
 * @param defect called with unexpected errors; an unavailable database is retried instead
 */
export function createApproval(
  store: ReviewStore,
  after: number,
  { now, elapsed }: { readonly now: () => Microseconds; readonly elapsed: () => number },
  defect: (error: unknown) => void,
) {
  const pause = Math.min(maxPauseMs, Math.max(minPauseMs, after));
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let isStopped = false;

  /** Monotonic time when a `created_at` in the future was first seen. */
  let aheadSince: number | undefined;

  /** Returns the milliseconds until the oldest pending sender ID is due. */
  const wait = async (): Promise<number> => {
    const oldest = await store.oldestPending();
    const ahead = oldest === undefined ? 0 : oldest - now();
    // Each created_at is later than the one before, so it stays in the future until a clock that was set back has caught up. Its age
    // is unknown until then, so it is measured from when the future time was first seen.
    aheadSince = ahead > 0 ? (aheadSince ?? elapsed()) : undefined;
    if (oldest === undefined) return Infinity;
    if (after === 0) return 0;
    const age = aheadSince === undefined ? -ahead / 1000 : elapsed() - aheadSince;
    return Math.ceil(after - age);
  };

  /** Approves what is due. Returns the milliseconds until the next is due; Infinity if that is unknown. */
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

  const run = async (): Promise<void> => {
    const next = await approve();
    if (!isStopped) timer = setTimeout(start, Math.min(pause, next));
  };
  const start = (): void => void (running = run());

  return {
    /** Approves all sender IDs that are due. Does nothing if the database is unavailable. */
    approve: async (): Promise<void> => void (await approve()),
    start,
    /** Stops the timer and waits for the run in progress. */
    stop: (): Promise<void> => {
      isStopped = true;
      clearTimeout(timer);
      return running;
    },
  };
}
