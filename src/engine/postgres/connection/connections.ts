import { setTimeout as sleep } from "node:timers/promises";
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
export interface Connections {
  /** Returns the least busy connection. Send the statements at once: it may be closed when it is idle. */
  readonly any: () => Promise<Connection>;
  /** Opens a connection outside the pool, which the caller closes. */
  readonly own: (limits?: Partial<Limits>) => Promise<Connection>;
  readonly close: () => Promise<void>;
}

/** Milliseconds between two looks at idle connections. */
const interval = 1000;

/** Milliseconds after a refusal in which the pool opens no further connection. */
const refusedPause = 2000;

/**
 * Milliseconds after which an unused connection is closed. Less than the default `connect_timeout`, so that another
 * server that waits for a connection of the same role gets this one in time.
 */
const maxIdle = 3000;

/** Milliseconds between two attempts to connect. */
const [shortestPause, longestPause] = [20, 250];

interface Pooled {
  readonly opening: Promise<Connection>;
  /** Undefined while it is being opened. */
  connection: Connection | undefined;
  usedAt: number;
}

/**
 * Creates the pool. It opens up to `pool` connections. If the server refuses one because the role, the database or
 * the server has no more, statements share those that are open; without any, they wait for one up to
 * `connect_timeout`. A refused pool closes one connection and tries another later, so that the servers of one role
 * get connections in turn.
 *
 * It is not pg-pool, which lends a connection to one statement at a time: here, statements share them.
 */
export function createConnections(address: Address, limits: Limits): Connections {
  let pool: Pooled[] = [];
  /** Connections that have left the pool, and are closed when their statements have finished. */
  let leaving: Connection[] = [];
  let refusedAt = Number.NEGATIVE_INFINITY;
  let isClosing = false;
  let timer: NodeJS.Timeout | undefined;

  function open(): Pooled {
    timer ??= setInterval(tidy, interval).unref();
    const opening = connectWith(limits);
    const pooled: Pooled = { opening, connection: undefined, usedAt: performance.now() };
    pool.push(pooled);
    opening.then(
      (connection) => (pooled.connection = connection),
      () => (pool = pool.filter((other) => other !== pooled)),
    );
    return pooled;
  }

  async function connectWith(own: Limits): Promise<Connection> {
    try {
      return await connect(address, own);
    } catch (error) {
      if (isNumberLimited(error)) {
        refusedAt = performance.now();
        const opened = pool.filter(({ connection }) => connection !== undefined);
        const last = opened.at(-1)!;
        if (opened.length > 1) {
          pool = pool.filter((pooled) => pooled !== last);
          leaving.push(last.connection!);
        }
      }
      throw error;
    }
  }

  /** Closes what is unused. Only timers call it, so a connection that `any` has just returned has its statement. */
  function tidy(): void {
    const idleSince = performance.now() - maxIdle;
    const [, ...others] = pool;
    const unused = others.filter((pooled) => load(pooled) === 0 && pooled.usedAt < idleSince);
    pool = pool.filter((pooled) => !unused.includes(pooled));
    const closing = [...leaving, ...unused.map(({ connection }) => connection!)];
    leaving = closing.filter((connection) => connection.pending() > 0 && !connection.isClosed());
    for (const connection of closing) {
      if (!leaving.includes(connection)) connection.end().catch(() => {});
    }
  }

  function leastBusy(): Pooled {
    const now = performance.now();
    pool = pool.filter(({ connection }) => connection?.isClosed() !== true);
    let least: Pooled | undefined;
    for (const pooled of pool) {
      if (least === undefined || load(pooled) < load(least)) least = pooled;
    }
    const mayOpen = pool.length < address.pool && now - refusedAt > refusedPause;
    if (least === undefined || (mayOpen && load(least) >= 1)) return open();
    least.usedAt = now;
    return least;
  }

  /** Calls `attempt` until the server has a connection for it, or `connect_timeout` has passed. */
  async function whenAvailable(attempt: () => Promise<Connection>): Promise<Connection> {
    const deadline = performance.now() + address.connectTimeout;
    for (let pause = shortestPause; ; pause = Math.min(longestPause, pause * 2)) {
      // A statement that is repeated now would keep this process running.
      if (isClosing) throw Object.assign(new Error("the pool is closed"), { code: ended });
      try {
        return await attempt();
      } catch (error) {
        if (!isNumberLimited(error) || performance.now() + pause > deadline) throw error;
        await sleep(pause);
        tidy();
      }
    }
  }

  return {
    any: () => whenAvailable(() => leastBusy().opening),
    own: (own) => whenAvailable(() => connectWith({ ...limits, ...own })),
    close: async () => {
      isClosing = true;
      clearInterval(timer);
      const all = await Promise.allSettled(pool.map(({ opening }) => opening));
      const opened = all.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
      await Promise.all([...leaving, ...opened].map((connection) => connection.end()));
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
