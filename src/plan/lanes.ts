import { succeeded, type Reply } from "../contract/service.ts";

/** So many requests are under way at once. */
const maxLanes = 16;

/** So often a service that has been answering is waited for when it says that it is too much. */
const maxWaits = 10;

/** Seconds: as long as any other command waits for a service that asks it to. */
const maxWait = 60;

/** Work that is done side by side: after a 429 all lanes wait together, and fewer of them go on. */
export interface Lanes {
  readonly each: <Item>(
    items: readonly Item[],
    work: (item: Item) => Promise<void>,
  ) => Promise<void>;
  /**
   * Sends a request, again after a 429 that all lanes have waited for, as long as such requests have been answered before.
   *
   * @param what kind of request it is
   */
  readonly send: (what: string, ask: () => Promise<Reply>) => Promise<Reply>;
}

/** @param sleep takes milliseconds */
export function createLanes(sleep: (milliseconds: number) => Promise<void>): Lanes {
  let open = maxLanes;
  /** What every lane waits for after a 429. */
  let pause: Promise<void> | undefined;
  const answered = new Set<string>();
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
    send: async (what, ask) => {
      for (let waits = 0; ; waits += 1) {
        await paused();
        const reply = await ask();
        if (succeeded(reply)) answered.add(what);
        const { status, retryAfter = 1 } = reply;
        const isOver = waits === maxWaits || retryAfter > maxWait || !answered.has(what);
        if (status !== 429 || isOver) return reply;
        // One slot that is full refuses every request that is under way.
        if (pause === undefined) {
          open = Math.max(1, Math.floor(open / 2));
          pause = sleep(retryAfter * 1000).finally(() => (pause = undefined));
        }
        await pause;
      }
    },
  };
}
