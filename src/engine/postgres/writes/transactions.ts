import { randomUUID } from "node:crypto";
import type { Address } from "../connection/address.ts";
import { type Connections, failureOf } from "../connection/connections.ts";
import type { Connection, Limits } from "../connection/connection.ts";
import { isContended, isLost } from "../connection/database-error.ts";
import { begin, commit, lock, mark, outcomeOf, unknownOutcome } from "./outcome.ts";

/** The body of a transaction that reads before it writes. */
type Body<Result> = (connection: Connection) => Promise<Result>;

interface TransactOptions {
  /**
   * Whether other writers need not wait. It must then take no ids or times, and lock no row that they write, except in
   * its last statements.
   */
  readonly isBeside?: boolean;
  /** Timeouts that differ from those of other statements. */
  readonly limits?: Partial<Limits>;
  /** Runs once, before the transaction, which is repeated after a conflict. */
  readonly prepare?: Body<void>;
}

/** Runs a longer transaction on a separate connection. All other writers wait for it, unless it is beside them. */
export type Transact = <Result>(body: Body<Result>, options?: TransactOptions) => Promise<Result>;

/** Reports that statements are repeated. @param since when the first attempt began */
export type ReportRetry = (error: unknown, attempt: number, since: number, writes?: number) => void;

/** Maximum attempts of a write that was rolled back because of a conflict, or not committed. */
export const maxAttempts = 5;

/** Milliseconds between two statements of a longer transaction, in which this process may be busy. */
const idleInTransaction = 10_000;

export function createTransact(
  connections: Connections,
  address: Address,
  reportRetry: ReportRetry,
): Transact {
  return async (body, { isBeside = false, limits, prepare } = {}) => {
    const writer = randomUUID();
    const startedAt = performance.now();
    let connection: Connection | undefined;
    let attempt = 1;

    async function runOnce({ send }: Connection) {
      const before = [begin, ...(isBeside ? [] : [lock]), mark(writer, attempt)];
      await Promise.all(before.map(send));
      const result = await body(connection!);
      try {
        await send(commit);
      } catch (error) {
        if (!isLost(error)) throw error;
        const outcome = await outcomeOf(connections, writer, attempt);
        if (outcome === "unknown") throw unknownOutcome(address, error, attempt);
        if (outcome === "not done") throw error;
      }
      return result;
    }

    try {
      connection = await connections.own({ idle: idleInTransaction, ...limits });
      // Only once, because its input may be used up. What it leaves in the connection survives a rollback.
      await prepare?.(connection);
      for (; ; attempt += 1) {
        try {
          return await runOnce(connection);
        } catch (error) {
          if (!isContended(error) || attempt >= maxAttempts) throw error;
          reportRetry(error, attempt, startedAt);
          await connection.send({ text: "ROLLBACK" });
        }
      }
    } catch (error) {
      throw await failureOf(error, address, attempt);
    } finally {
      // Closing the connection rolls back an open transaction.
      connection?.destroy();
    }
  };
}
