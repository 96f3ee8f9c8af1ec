import { setTimeout as sleep } from "node:timers/promises";
import type { StoreActivity } from "../../../contract/activity.ts";
import type { Address } from "./address.ts";
import { connect, type Connection, type Limits } from "./connection.ts";
import { ended, isNumberLimited } from "./database-error.ts";

/** A pool of connections to one database, opened when needed and reopened when lost. */
export interface Connections {
  /** Returns a connection for one statement, an idle one if possible. */
  readonly any: () => Promise<Connection>;
  /** Returns the connection for writes. Reads use it only while it is idle. */
  readonly writing: () => Promise<Connection>;
  /** Opens a connection outside the pool, which the caller closes. */
  readonly own: (limits?: Partial<Limits>) => Promise<Connection>;
  /** Returns the open connections of the pool, for metrics. */
  readonly state: () => ReturnType<NonNullable<StoreActivity["pool"]>>;
  readonly close: () => Promise<void>;
}

/** Milliseconds between two looks at the size of the pool. */
const interval = 1000;

/** Intervals after which a refused pool tries one more connection. */
const growAfter = 2;

/**
 * Milliseconds after which an unused connection is closed. Less than the default `connect_timeout`, so that another
 * server that waits for a connection of the same role gets this one in time.
 */
const maxIdle = 3000;

/** Milliseconds between two attempts to connect. */
const [shortestPause, longestPause] = [20, 250];

/**
 * Creates the pool. It opens up to `pool` connections. If the server refuses one because the role, the database or
 * the server has no more, statements share those that are open; without any, they wait for one up to
 * `connect_timeout`. A refused pool closes one connection and tries another later, so that the servers of one role
 * get connections in turn.
 */
export function createConnections(address: Address, limits: Limits): Connections {
  /** The first is the connection for writes. */
  const slots: (Promise<Connection> | undefined)[] = [];
  const open: (Connection | undefined)[] = [];
  const usedAt: number[] = [];
  const retired = new Set<Promise<void>>();
  /** Maximum number of connections at present. */
  let size = address.pool;
  let wasRefused = false;
  const closing = new AbortController();
  let quietIntervals = 0;
  let timer: NodeJS.Timeout | undefined;

  function slot(index: number): Promise<Connection> {
    usedAt[index] = performance.now();
    return (slots[index] ??= opened(index));
  }

  async function opened(index: number): Promise<Connection> {
    timer ??= setInterval(adjust, interval).unref();
    try {
      const connection = await connect(address, limits);
      open[index] = connection;
      size = Math.max(size, openSlots().length);
      return connection;
    } catch (error) {
      slots[index] = undefined;
      if (isNumberLimited(error)) refused();
      throw error;
    }
  }

  /** Returns the indexes of the open connections, and forgets those that are closed. */
  function openSlots(): number[] {
    const found: number[] = [];
    for (const [index, connection] of open.entries()) {
      if (connection?.isClosed() === false) found.push(index);
      else if (connection !== undefined) slots[index] = open[index] = undefined;
    }
    return found;
  }

  function refused(): void {
    wasRefused = true;
    size = Math.max(1, openSlots().length);
  }

  /** Closes the last connection if others remain. */
  function shrink(): void {
    const found = openSlots();
    if (found.length < 2) return;
    size = found.length - 1;
    retire(found.at(-1)!);
  }

  /** Closes a connection when its statements have finished. */
  function retire(index: number): void {
    const connection = open[index]!;
    slots[index] = open[index] = undefined;
    const end = async (): Promise<void> => {
      // A caller that got the connection just now sends its statement before the first pause has passed.
      do await sleep(shortestPause);
      while (connection.pending() > 0 && !connection.isClosed() && !closing.signal.aborted);
      await connection.end();
    };
    const done = end()
      .catch(() => {})
      .finally(() => retired.delete(done));
    retired.add(done);
  }

  function adjust(): void {
    const idleSince = performance.now() - maxIdle;
    const [, ...others] = openSlots();
    for (const index of others) {
      if (open[index]!.pending() === 0 && usedAt[index]! < idleSince) retire(index);
    }
    quietIntervals = wasRefused ? 0 : quietIntervals + 1;
    if (wasRefused) shrink();
    else if (size < address.pool && quietIntervals % growAfter === 0) size += 1;
    wasRefused = false;
  }

  function mayOpen(): boolean {
    openSlots();
    return slots.filter((one) => one !== undefined).length < size;
  }

  /** Returns the slot of the least busy connection, or an empty slot if all are busy. */
  function leastBusy(): number {
    const canOpen = mayOpen();
    let least = 0;
    let leastLoad = Number.POSITIVE_INFINITY;
    for (let index = 0; index < address.pool; index += 1) {
      const isEmpty = slots[index] === undefined;
      if (isEmpty && !canOpen) continue;
      const load = open[index]?.pending() ?? 0.5;
      if (load < leastLoad) {
        least = index;
        leastLoad = load;
      }
      if (isEmpty && load === leastLoad) break;
    }
    return least;
  }

  /** Calls `attempt` until the server has a connection for it, or `connect_timeout` has passed. */
  async function whenAvailable(attempt: () => Promise<Connection>): Promise<Connection> {
    const deadline = performance.now() + address.connectTimeout;
    for (let pause = shortestPause; ; pause = Math.min(longestPause, pause * 2)) {
      // A statement that is repeated now would keep this process running.
      if (closing.signal.aborted)
        throw Object.assign(new Error("the pool is closed"), { code: ended });
      try {
        return await attempt();
      } catch (error) {
        if (!isNumberLimited(error) || performance.now() + pause > deadline) throw error;
        await sleep(pause);
      }
    }
  }

  const pooled = (choose: () => number): Promise<Connection> =>
    whenAvailable(async () => {
      try {
        return await slot(choose());
      } catch (error) {
        if (!isNumberLimited(error) || openSlots().length === 0) throw error;
        return slot(leastBusy());
      }
    });

  return {
    any: () => pooled(leastBusy),
    writing: () => pooled(() => (mayOpen() || slots[0] !== undefined ? 0 : leastBusy())),
    own: (own) =>
      whenAvailable(async () => {
        try {
          return await connect(address, { ...limits, ...own });
        } catch (error) {
          if (isNumberLimited(error)) shrink();
          throw error;
        }
      }),
    state: () => {
      const loads = open.flatMap((one) =>
        one === undefined || one.isClosed() ? [] : [one.pending()],
      );
      const inUse = loads.filter((load) => load > 0);
      const waiting = inUse.reduce((sum, load) => sum + load - 1, 0);
      return { inUse: inUse.length, idle: loads.length - inUse.length, waiting };
    },
    close: async () => {
      closing.abort();
      clearInterval(timer);
      const all = await Promise.allSettled(slots.filter((one) => one !== undefined));
      const opened = all.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
      await Promise.all([...retired, ...opened.map((connection) => connection.end())]);
    },
  };
}
