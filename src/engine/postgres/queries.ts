import { randomUUID } from "node:crypto";
import type { Address } from "./connection/address.ts";
import type { StatementResult, Limits, Value } from "./connection/connection.ts";
import { createConnections, type Connections } from "./connection/connections.ts";
import { isContended, isLost } from "./connection/database-error.ts";
import { failureOf } from "./connection/failure.ts";
import { migrate } from "./connection/migrate.ts";
import { createWrites, type Writes } from "./writes.ts";

/** Statements on one database; what fails is told of it. */
export interface Queries extends Writes {
  readonly row: <Row>(text: string, ...values: Value[]) => Promise<Row | undefined>;
  /** Reads that see one state. */
  readonly rows: <Row>(text: string, ...values: Value[]) => Promise<Row[]>;
  readonly connections: Connections;
  readonly address: Address;
  readonly close: () => Promise<void>;
}

/** How prepared a read is tried again when its connection was lost. */
const maxAttempts = 3;

/** In milliseconds. */
const usualLimits: Limits = { statement: 30_000, lock: 10_000 };

/** @throws SendctlError "database" when it can't be used, or is not ours */
export async function openQueries(
  address: Address,
  limits: Partial<Limits> = {},
): Promise<Queries> {
  const connections = createConnections(address, { ...usualLimits, ...limits });
  try {
    await migrate(await connections.writing(), address);
  } catch (error) {
    await connections.close();
    throw await failureOf(error, address);
  }
  const writes = createWrites(connections, address, randomUUID);

  async function ask(text: string, values: readonly Value[]): Promise<StatementResult> {
    for (let attempt = 1; ; attempt += 1) {
      let isConnected = false;
      try {
        const connection = await connections.any();
        isConnected = true;
        return await connection.send({ text, values, isPrepared: true });
      } catch (error) {
        // Who can't be reached is not waited for: that is for whoever asks to decide.
        const isWorthIt = isConnected && (isLost(error) || isContended(error));
        if (!isWorthIt || attempt >= maxAttempts) throw await failureOf(error, address);
      }
    }
  }

  return {
    ...writes,
    row: async (text, ...values) => (await ask(text, values)).rows[0] as never,
    rows: async (text, ...values) => (await ask(text, values)).rows as never[],
    connections,
    address,
    close: async () => {
      await writes.settled();
      await connections.close();
    },
  };
}

/** Whether a text can be in the database at all: what can't is not looked for. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes("\u0000");
}
