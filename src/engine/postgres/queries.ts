import { databaseError, unknownOutcome, type Address } from "./address.ts";
import {
  createConnections,
  requestLimits,
  isContended,
  isLost,
  type Connection,
  type Limits,
  type Send,
  type Transact,
} from "./connection.ts";

/** Runs statements on one database. Driver errors become a SendctlError with its address. */
export type Queries = ReturnType<typeof createQueries>;

/** Maximum attempts of a read after a lost connection, or of anything after a conflict. */
const maxAttempts = 5;

/** Milliseconds after which a transaction is repeated for the first time. */
const pause = 20;

/** Meaning of a lost connection: repeat the read, nothing was committed, or nobody knows. */
type Loss = "repeat" | "not done" | "unknown";

/** Returns the body of a single statement. */
const alone =
  <Row>(statement: Parameters<Send>) =>
  (send: Send) =>
    send<Row>(...statement);

/**
 * Connects to a database.
 *
 * @param limits timeouts (default: those of requests)
 */
export function createQueries(address: Address, limits: Limits = requestLimits) {
  const { read, write, open, close } = createConnections(address, limits);

  /** Runs `body` on a connection, again after a conflict. */
  async function use<Result>(
    acquire: () => Promise<Connection>,
    body: (send: Send) => Promise<Result>,
    lossOf: () => Loss,
    attempts = maxAttempts,
  ): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      let connection: Connection | undefined;
      try {
        connection = await acquire();
        const result = await body(connection.send);
        connection.release();
        return result;
      } catch (error) {
        const lost = connection !== undefined && isLost(error);
        connection?.release(lost);
        const loss = lost ? lossOf() : undefined;
        if (loss === "unknown") throw unknownOutcome(address, error);
        const canRepeat = loss === undefined ? isContended(error) : loss === "repeat";
        if (!canRepeat || attempt >= attempts) throw databaseError(error, address);
        if (!lost) await new Promise((done) => setTimeout(done, Math.random() * pause * attempt));
      }
    }
  }

  const select: Send = <Row>(...statement: Parameters<Send>) =>
    use(read, alone<Row>(statement), () => "repeat");

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
    return use(open, run, () => (isCommitting ? "unknown" : "not done"), attempts);
  };

  const change: Send = <Row>(...statement: Parameters<Send>) =>
    use(write, alone<Row>(statement), () => "unknown");

  return {
    row: async <Row>(...statement: Parameters<Send>): Promise<Row | undefined> =>
      (await select<Row>(...statement))[0],
    select,
    selectNow: select,
    /** Runs one statement, which is a transaction of its own: durable when fulfilled. */
    change,
    transact,
    address,
    close,
  };
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
