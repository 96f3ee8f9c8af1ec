import type { SharedQueries } from "../store/shared-methods.ts";
import type { Address } from "./connection/address.ts";
import {
  createConnections,
  defaultLimits,
  type Connection,
  type Limits,
  type Send,
  type Transact,
  type Value,
} from "./connection/connection.ts";
import {
  databaseError,
  isContended,
  isLost,
  namesUnknown,
  unknownOutcome,
} from "./connection/database-error.ts";
import { migrate, schemaVersion } from "./connection/migrations.ts";

/** Runs statements on one database. Errors of the driver become a SendctlError with the database's address. */
export interface Queries extends SharedQueries {
  readonly row: <Row>(text: string, ...values: Value[]) => Promise<Row | undefined>;
  readonly select: Send;
  /** Runs one statement, which is a transaction of its own: durable when fulfilled. */
  readonly change: Send;
  readonly transact: Transact;
  readonly address: Address;
  readonly close: () => Promise<void>;
}

/** Maximum attempts of a read whose connection is lost, and of anything that was rolled back because of a conflict. */
const maxAttempts = 5;

/** Milliseconds after which a transaction is repeated for the first time. */
const pause = 20;

/**
 * Connects to a database.
 *
 * @param limits timeouts that differ from those of requests
 */
export function createQueries(address: Address, limits: Partial<Limits> = {}): Queries {
  const connections = createConnections(address, { ...defaultLimits, ...limits });

  const { read, write, open } = connections;
  const select: Send = <Row>(...statement: Parameters<Send>) =>
    use(
      address,
      read,
      (send) => send<Row>(...statement),
      () => "repeat",
    );

  const change: Send = <Row>(...statement: Parameters<Send>) =>
    use(
      address,
      write,
      (send) => send<Row>(...statement),
      () => "unknown",
    );

  const transact: Transact = (body, attempts) => {
    let isCommitting = false;
    return use(
      address,
      open,
      async (sendOn) => {
        isCommitting = false;
        await sendOn("BEGIN");
        try {
          const result = await body(sendOn);
          isCommitting = true;
          await sendOn("COMMIT");
          return result;
        } catch (error) {
          if (!isLost(error)) await sendOn("ROLLBACK");
          throw error;
        }
      },
      () => (isCommitting ? "unknown" : "not done"),
      attempts,
    );
  };

  return {
    row: async (...statement) => (await select<never>(...statement))[0],
    select,
    selectNow: select,
    change,
    transact,
    address,
    close: connections.close,
  };
}

/**
 * Runs `body` on a connection, again after a conflict.
 *
 * @param whenLost what a lost connection means: that the read can be repeated, that nothing is committed, or that the
 *   outcome is unknown
 */
async function use<Result>(
  address: Address,
  open: () => Promise<Connection>,
  body: (send: Send) => Promise<Result>,
  whenLost: () => "repeat" | "not done" | "unknown",
  attempts = maxAttempts,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    let connection: Connection | undefined;
    let error: unknown;
    try {
      connection = await open();
      const result = await body(connection.send);
      connection.release();
      return result;
    } catch (caught) {
      error = caught;
    }
    const lost = connection !== undefined && isLost(error);
    connection?.release(lost);
    if (lost && whenLost() === "unknown") throw unknownOutcome(address, error, attempt);
    const canRepeat = lost ? whenLost() === "repeat" : isContended(error);
    if (!canRepeat || attempt >= attempts) {
      if (namesUnknown(error)) await refuseNewer(open, address);
      throw databaseError(error, address, attempt);
    }
    if (!lost) await new Promise((done) => setTimeout(done, Math.random() * pause * attempt));
  }
}

/** Throws if a newer sendctl has changed the tables meanwhile. */
async function refuseNewer(open: () => Promise<Connection>, address: Address): Promise<void> {
  const { send, release } = await open();
  try {
    await schemaVersion(send, address);
  } finally {
    release();
  }
}

/**
 * Connects to a database and brings its schema up to date.
 *
 * @throws SendctlError "database" if it cannot be used or has the tables of another program
 */
export async function openQueries(address: Address, limits?: Partial<Limits>): Promise<Queries> {
  const queries = createQueries(address, limits);
  try {
    await migrate(queries.select, queries.transact, address);
    return queries;
  } catch (error) {
    await queries.close();
    throw error;
  }
}

/** Runs `use`, and closes the connections. */
export async function withQueries<Result>(
  queries: Queries,
  use: (queries: Queries) => Promise<Result>,
): Promise<Result> {
  try {
    return await use(queries);
  } finally {
    await queries.close();
  }
}
