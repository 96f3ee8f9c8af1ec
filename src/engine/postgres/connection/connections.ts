import type { StoreActivity } from "../../../contract/activity.ts";
import type { Address } from "./address.ts";
import { connect, type Connection, type Limits } from "./connection.ts";

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

export function createConnections(address: Address, limits: Limits): Connections {
  /** The first is the connection for writes. */
  const slots: (Promise<Connection> | undefined)[] = [];
  const open: (Connection | undefined)[] = [];

  function slot(index: number): Promise<Connection> {
    if (open[index]?.isClosed() === true) slots[index] = open[index] = undefined;
    return (slots[index] ??= opened(index));
  }

  async function opened(index: number): Promise<Connection> {
    try {
      const connection = await connect(address, limits);
      open[index] = connection;
      return connection;
    } catch (error) {
      slots[index] = undefined;
      throw error;
    }
  }

  /** Returns the slot of the least busy connection, or an empty slot if all are busy. */
  function leastBusy(): number {
    let least = 0;
    let leastLoad = Number.POSITIVE_INFINITY;
    for (let index = 0; index < address.pool; index += 1) {
      const connection = open[index];
      const isOpen = connection !== undefined && !connection.isClosed();
      const load = isOpen ? connection.pending() : 0.5;
      if (load < leastLoad) {
        least = index;
        leastLoad = load;
      }
      if (!isOpen && load === leastLoad && slots[index] === undefined) break;
    }
    return least;
  }

  return {
    any: () => slot(leastBusy()),
    writing: () => slot(0),
    own: (own) => connect(address, { ...limits, ...own }),
    state: () => {
      const loads = open.flatMap((one) =>
        one === undefined || one.isClosed() ? [] : [one.pending()],
      );
      const inUse = loads.filter((load) => load > 0);
      const waiting = inUse.reduce((sum, load) => sum + load - 1, 0);
      return { inUse: inUse.length, idle: loads.length - inUse.length, waiting };
    },
    close: async () => {
      const all = await Promise.allSettled(slots.filter((one) => one !== undefined));
      const opened = all.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
      await Promise.all(opened.map((connection) => connection.end()));
    },
  };
}
