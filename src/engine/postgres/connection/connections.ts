import type { Address } from "./address.ts";
import { type Connection, type Limits, connect } from "./connection.ts";
import {
  codeOf,
  damaged,
  databaseError,
  ended,
  isNumberLimited,
  unusable,
} from "./database-error.ts";
import { schemaVersion } from "./migrations.ts";

/** A pool of connections to one database, opened when needed and reopened when lost. */
export type Connections = ReturnType<typeof createConnections>;

/** Milliseconds after a refusal in which the pool opens no further connection. */
const refusedPause = 2000;

interface Pooled {
  readonly opening: Promise<Connection>;
  /** Undefined while it is being opened. */
  connection: Connection | undefined;
}

/**
 * Creates the pool. It opens up to `pool` connections. If the server refuses one because the role, the database or
 * the server has no more, statements share those that are open.
 *
 * It is not pg-pool, which lends a connection to one statement at a time: here, statements share them.
 */
export function createConnections(address: Address, limits: Limits) {
  let pool: Pooled[] = [];
  let refusedAt = Number.NEGATIVE_INFINITY;
  let isClosing = false;

  function open(): Pooled {
    const opening = connect(address, limits);
    const pooled: Pooled = { opening, connection: undefined };
    pool.push(pooled);
    opening.then(
      (connection) => (pooled.connection = connection),
      () => (pool = pool.filter((other) => other !== pooled)),
    );
    return pooled;
  }

  function leastBusy(): Pooled | undefined {
    pool = pool.filter(({ connection }) => connection?.isClosed() !== true);
    let least: Pooled | undefined;
    for (const pooled of pool) {
      if (least === undefined || load(pooled) < load(least)) least = pooled;
    }
    return least;
  }

  async function any(): Promise<Connection> {
    // A statement that is repeated now would keep this process running.
    if (isClosing) throw Object.assign(new Error("the pool is closed"), { code: ended });
    const least = leastBusy();
    const mayOpen = pool.length < address.pool && performance.now() - refusedAt > refusedPause;
    const chosen = least === undefined || (mayOpen && load(least) >= 1) ? open() : least;
    try {
      return await chosen.opening;
    } catch (error) {
      if (!isNumberLimited(error)) throw error;
      refusedAt = performance.now();
      const opened = pool.find(({ connection }) => connection?.isClosed() === false);
      if (opened === undefined) throw error;
      return opened.connection!;
    }
  }

  return {
    /** Returns the least busy connection. */
    any,
    /** Opens a connection outside the pool, which the caller closes. */
    own: (own?: Partial<Limits>): Promise<Connection> => connect(address, { ...limits, ...own }),
    close: async (): Promise<void> => {
      isClosing = true;
      const all = await Promise.allSettled(pool.map(({ opening }) => opening));
      const opened = all.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
      await Promise.all(opened.map((connection) => connection.end()));
    },
  };
}

/** Returns the number of statements without a result. A connection that is being opened is better than a new one. */
function load({ connection }: Pooled): number {
  return connection?.pending() ?? 0.5;
}

/**
 * Runs `use` on a separate connection, which is closed afterwards. That rolls back an open transaction.
 *
 * @throws SendctlError "database" if the database cannot be used; the error of `use` if it is not one of the driver
 */
export async function connected<Result>(
  address: Address,
  limits: Limits,
  use: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  let connection: Connection | undefined;
  try {
    connection = await connect(address, limits);
    return await use(connection);
  } catch (error) {
    throw await failureOf(error, address);
  } finally {
    connection?.destroy();
  }
}

/** SQLSTATEs of an unknown table, column or schema. */
const undefinedNames: ReadonlySet<string> = new Set(["42P01", "42703", "3F000"]);

/** Timeouts of the version's lookup, in milliseconds. */
const limits = { statement: 10_000, lock: 10_000 };

/**
 * Converts an error of the driver as `databaseError` does. If a table or column is missing, a newer sendctl has migrated
 * the schema meanwhile, or it is damaged.
 *
 * @param attempts how often the statement was tried
 */
export async function failureOf(error: unknown, address: Address, attempts = 1): Promise<unknown> {
  if (!undefinedNames.has(codeOf(error))) return databaseError(error, address, attempts);
  let connection: Connection | undefined;
  try {
    connection = await connect(address, limits);
    await schemaVersion(connection, address);
    return unusable(address, damaged, error, attempts);
  } catch (failure) {
    return databaseError(failure, address, attempts);
  } finally {
    connection?.destroy();
  }
}
