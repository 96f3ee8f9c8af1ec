import type { SharedQueries } from "../store/shared-methods.ts";
import type { Address } from "./connection/address.ts";
import {
  prepared,
  type Limits,
  type StatementResult,
  type Value,
} from "./connection/connection.ts";
import { type Connections, createConnections, failureOf } from "./connection/connections.ts";
import { isContended, isLost } from "./connection/database-error.ts";
import { migrate } from "./connection/migrations.ts";
import { createSweep, type Sweep } from "./sweep.ts";
import { createWrites, type Writes } from "./writes/writes.ts";

/** Runs statements on one database. Errors of the driver become a SendctlError with the database's address. */
export interface Queries extends Writes, Sweep, SharedQueries {
  readonly row: <Row>(text: string, ...values: Value[]) => Promise<Row | undefined>;
  readonly connections: Connections;
  readonly address: Address;
  readonly close: () => Promise<void>;
}

/** Maximum attempts of a read whose connection is lost. */
const maxAttempts = 3;

/**
 * Default timeouts in milliseconds. A process that freezes in the middle of a transaction holds the lock of all
 * writers until it is disconnected as idle. It then repeats the transaction.
 */
const defaultLimits: Limits = { statement: 30_000, lock: 10_000, idle: 1000 };

/**
 * Connects to a database and brings its schema up to date.
 *
 * @throws SendctlError "database" if it cannot be used or has the tables of another program
 */
export async function openQueries(
  address: Address,
  limits: Partial<Limits> = {},
): Promise<Queries> {
  const connections = createConnections(address, { ...defaultLimits, ...limits });
  try {
    await migrate(await connections.any(), address);
  } catch (error) {
    await connections.close();
    throw await failureOf(error, address);
  }
  const sweep = createSweep(connections);
  const onFirst = (): void => void sweep.sweep();
  const writes = createWrites(connections, address, onFirst);

  async function query(text: string, values: readonly Value[]): Promise<StatementResult> {
    for (let attempt = 1; ; attempt += 1) {
      let isConnected = false;
      try {
        const connection = await connections.any();
        isConnected = true;
        return await connection.send(prepared(text, ...values));
      } catch (error) {
        // A server that cannot be reached is not retried here: that is the caller's decision.
        const canRetry = isConnected && (isLost(error) || isContended(error));
        if (!canRetry || attempt >= maxAttempts) throw await failureOf(error, address, attempt);
      }
    }
  }

  const select = async <Row>(text: string, ...values: Value[]): Promise<Row[]> =>
    (await query(text, values)).rows as Row[];

  return {
    ...writes,
    ...sweep,
    row: async (text, ...values) => (await select<never>(text, ...values))[0],
    select,
    selectNow: select,
    change: (text, ...values) => writes.write(prepared(text, ...values)),
    connections,
    address,
    close: async () => {
      await writes.settled();
      await sweep.swept();
      await connections.close();
    },
  };
}
