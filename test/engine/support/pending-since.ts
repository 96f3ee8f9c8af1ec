import type { ReviewStore } from "../../../src/engine/store/store.ts";

/** Returns a store of PENDING sender IDs, given their creation times in milliseconds. */
export function pendingSince(...pending: number[]) {
  return {
    senderIdOfGroup: async () => undefined,
    groupsOfSenderId: async () => [],
    setSenderIdStatus: async () => undefined,
    /** The creation time of the oldest, in microseconds. */
    oldest: () => (pending.length === 0 ? undefined : Math.min(...pending) * 1000),
    approvePendingBefore: async (time: number) => {
      const due = pending.filter((at) => at * 1000 <= time);
      for (const at of due) pending.splice(pending.indexOf(at), 1);
      return due.length;
    },
  } satisfies ReviewStore & { oldest: () => number | undefined };
}
