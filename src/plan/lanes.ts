import { succeeded, type Reply } from "../contract/service.ts";

/** Maximum number of concurrent requests. */
const maxLanes = 16;

/** Maximum number of waits for one request after a 429 from a service that has responded before. */
const maxWaits = 10;

/** Longest Retry-After in seconds that is waited for, as in other commands. */
const maxWait = 60;

/** Concurrent work. After a 429 all lanes wait together, and half of them stop. */
export interface Lanes {
  readonly each: <Item>(
    items: readonly Item[],
    work: (item: Item) => Promise<void>,
  ) => Promise<void>;
  /**
   * Sends a request. After a 429 it waits with all lanes and sends it again, if a request of this kind has succeeded
   * before.
   */
  readonly send: (kind: string, ask: () => Promise<Reply>) => Promise<Reply>;
}

/** Creates lanes. @param sleep takes milliseconds */
export function createLanes(sleep: (milliseconds: number) => Promise<void>): Lanes {
  let open = maxLanes;
  /** The wait after a 429, shared by all lanes. */
  let pause: Promise<void> | undefined;
  const succeededKinds = new Set<string>();
  const paused = async (): Promise<void> => {
    if (pause === undefined) return;
    await pause;
    await paused();
  };
  return {
    each: async (items, work) => {
      const queue = items.values();
      const lane = async (number: number): Promise<void> => {
        for (const item of queue) {
          await work(item);
          if (number >= open) return;
        }
      };
      await Promise.all(
        Array.from({ length: Math.min(open, items.length) }, (_, number) => lane(number)),
      );
    },
    send: async (kind, ask) => {
      for (let waits = 0; ; waits += 1) {
        await paused();
        const reply = await ask();
        if (succeeded(reply)) succeededKinds.add(kind);
        const { status, retryAfter = 1 } = reply;
        const isOver = waits === maxWaits || retryAfter > maxWait || !succeededKinds.has(kind);
        if (status !== 429 || isOver) return reply;
        // A rate limit rejects all concurrent requests; only the first 429 of them starts a wait.
        if (pause === undefined) {
          open = Math.max(1, Math.floor(open / 2));
          pause = sleep(retryAfter * 1000).finally(() => (pause = undefined));
        }
        await pause;
      }
    },
  };
}
