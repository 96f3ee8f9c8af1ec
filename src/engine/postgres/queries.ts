import type { SharedQueries } from "../store/shared-methods.ts";
import type { Address } from "./address.ts";
import {
  createConnections,
  defaultLimits,
  type Connection,
  type Limits,
  type Send,
  type Transact,
  type Value,
} from "./connection.ts";
import { databaseError, isContended, isLost, unknownOutcome } from "./errors.ts";
import { migrate } from "./schema.ts";

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

/** What a lost connection means: the read can be repeated, nothing was committed, or nobody knows. */
type Loss = "repeat" | "not done" | "unknown";

/**
 * Connects to a database.
 *
 * @param limits timeouts that differ from those of requests
 */
export function createQueries(address: Address, limits: Partial<Limits> = {}): Queries {
  const { read, write, open, close } = createConnections(address, { ...defaultLimits, ...limits });

  const select: Send = (...statement) =>
    use(
      address,
      read,
      (send) => send(...statement),
      () => "repeat",
    );

  const transact: Transact = (body, attempts) => {
    let isCommitting = false;
    const run = async (send: Send) => {
      isCommitting = false;
      await send("BEGIN");
      try {
        const result = await body(send);
        isCommitting = true;
        await send("COMMIT");
        return result;
      } catch (error) {
        if (!isLost(error)) await send("ROLLBACK");
        throw error;
      }
    };
    return use(address, open, run, () => (isCommitting ? "unknown" : "not done"), attempts);
  };

  return {
    row: async (...statement) => (await select<never>(...statement))[0],
    select,
    selectNow: select,
    change: (...statement) =>
      use(
        address,
        write,
        (send) => send(...statement),
        () => "unknown",
      ),
    transact,
    address,
    close,
  };
}

/** Runs `body` on a connection, again after a conflict. */
async function use<Result>(
  address: Address,
  open: () => Promise<Connection>,
  body: (send: Send) => Promise<Result>,
  whenLost: () => Loss,
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
      throw databaseError(error, address, attempt);
    }
    if (!lost) await new Promise((done) => setTimeout(done, Math.random() * pause * attempt));
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
    await migrate(queries);
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
