import type { Address } from "./address.ts";
import { connect, type Connection, type Limits } from "./connection.ts";

/** Some connections to one database, made when they are needed, and made anew when they are lost. */
export interface Connections {
  /** Any, for one statement: one that has nothing to do where there is one. */
  readonly any: () => Promise<Connection>;
  /** One that writes go through; others use it only while it has nothing to do. */
  readonly writing: () => Promise<Connection>;
  /** One for the caller alone, who ends it. */
  readonly own: (limits?: Partial<Limits>) => Promise<Connection>;
  readonly close: () => Promise<void>;
}

export function createConnections(address: Address, limits: Limits): Connections {
  /** The first is the one that writes. */
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

  /** The one with the least to do; a further one where all have something to do. */
  function leastBusy(): number {
    let least = 0;
    let leastLoad = Number.POSITIVE_INFINITY;
    for (let index = 0; index < address.pool; index += 1) {
      const connection = open[index];
      const isThere = connection !== undefined && !connection.isClosed();
      const load = isThere ? connection.pending() : 0.5;
      if (load < leastLoad) {
        least = index;
        leastLoad = load;
      }
      if (!isThere && load === leastLoad && slots[index] === undefined) break;
    }
    return least;
  }

  return {
    any: () => slot(leastBusy()),
    writing: () => slot(0),
    own: (own) => connect(address, { ...limits, ...own }),
    close: async () => {
      const all = await Promise.allSettled(slots.filter((one) => one !== undefined));
      const there = all.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
      await Promise.all(there.map((connection) => connection.end()));
    },
  };
}
