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
 * @param now time in microseconds since 1970
 * @param defect called with unexpected errors; an unavailable database is retried instead
 */
export function createApproval(
  store: ReviewStore,
  after: number,
  now: () => Microseconds,
  defect: (error: unknown) => void,
) {
  const pause = Math.min(maxPauseMs, Math.max(minPauseMs, after));
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let isStopped = false;

  /** Returns the milliseconds until the oldest pending sender ID is due. */
  const wait = async (): Promise<number> => {
    const oldest = await store.oldestPending();
    if (oldest === undefined) return Infinity;
    return after === 0 ? 0 : Math.ceil(after - (now() - oldest) / 1000);
  };

  /** Approves what is due. Returns the milliseconds until the next is due; Infinity if that is unknown. */
  const approve = async (): Promise<number> => {
    try {
      for (;;) {
        const next = await wait();
        if (isStopped || next > 0) return next;
        const until = after === 0 ? Number.MAX_SAFE_INTEGER : now() - after * 1000;
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
