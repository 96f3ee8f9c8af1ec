/** A connection that several statements use at the same time. PostgreSQL answers them in turn. */
interface Shared<Connection> {
  readonly connection: Promise<Connection>;
  /** Statements without a result yet. */
  pending: number;
  /** When it began to wait for the result that comes next. */
  waitingSince: number;
  isLost: boolean;
}

/** Milliseconds without a result after which no statement is added: the one in progress may wait for a lock. */
const patience = 100;

/**
 * Returns a function that returns a connection for one statement outside of a transaction. It uses at most `max`
 * connections, each for several statements at once, and more only while those do not respond. A shared connection costs a
 * third of the processor time, most of which is system calls. It is released when it has no statement.
 *
 * @param isScarce whether others wait for a connection, so that each statement should wait its turn
 */
export function createSharing<Connection extends { release: (isLost?: boolean) => void }>(
  open: () => Promise<Connection>,
  max: number,
  isScarce: () => boolean,
): () => Promise<Connection> {
  const used = new Set<Shared<Connection>>();

  function leastUsed(now: number): Shared<Connection> | undefined {
    if (used.size < max || isScarce()) return undefined;
    let least: Shared<Connection> | undefined;
    for (const shared of used) {
      const isResponding = now - shared.waitingSince < patience;
      if (isResponding && shared.pending < (least?.pending ?? Infinity)) least = shared;
    }
    return least;
  }

  return async () => {
    const now = performance.now();
    const shared = leastUsed(now) ?? {
      connection: open(),
      pending: 0,
      waitingSince: now,
      isLost: false,
    };
    used.add(shared);
    shared.pending += 1;
    const leave = (isLost = false): void => {
      shared.pending -= 1;
      shared.waitingSince = performance.now();
      shared.isLost ||= isLost;
      if (shared.isLost || shared.pending === 0) used.delete(shared);
    };
    try {
      const connection = await shared.connection;
      const release = (isLost?: boolean): void => {
        leave(isLost);
        if (shared.pending === 0) connection.release(shared.isLost);
      };
      return { ...connection, release };
    } catch (error) {
      leave(true);
      throw error;
    }
  };
}
