import { randomUUID } from "node:crypto";
import type { Address } from "../connection/address.ts";
import type { Connection, Limits, Statement, StatementResult } from "../connection/connection.ts";
import { failureOf, type Connections } from "../connection/connections.ts";
import { codeOf, isContended, isLost } from "../connection/database-error.ts";
import { outcomeOf, unknownOutcome, type Outcome } from "./outcome.ts";

const begin: Statement = { text: "BEGIN" };
const commit: Statement = { text: "COMMIT" };

/** Serializes all writers, so that ids, times and commits have the same order. */
const lock: Statement = { text: "SELECT newest FROM clock FOR UPDATE", isPrepared: true };

/** Records the turn, which proves later that the transaction was committed. Fails if the turn has a fence. */
const mark = (writer: string, turn: number): Statement => ({
  text: `INSERT INTO writer (id, turn) VALUES ($1, $2)
         ON CONFLICT (id) DO UPDATE SET turn = excluded.turn, at = excluded.at`,
  values: [writer, turn],
  isPrepared: true,
});

/** Deletes the marks of processes that have ended. */
const deleteOldMarks: Statement = {
  text: "DELETE FROM writer WHERE at < now() - interval '1 hour'",
};

/** Maximum attempts of a write that was rolled back because of a conflict, or not committed. */
export const maxAttempts = 5;

/** The result of one statement. */
export type Settled = PromiseSettledResult<StatementResult>;

/** What became of a transaction. */
interface Sent {
  readonly outcome: Outcome;
  /** Of its own statements. */
  readonly results: readonly Settled[];
  /** The first error. */
  readonly cause?: unknown;
  /** Whether the same transaction may succeed when it is sent again. */
  readonly canRepeat: boolean;
  /** Whether one of its own statements failed, so that the others may succeed without it. */
  readonly isOwnFailure: boolean;
}

/** SQLSTATE of the statements after a failed one. */
const inFailed = "25P02";

/**
 * Creates a function that sends a whole transaction with its commit and does not wait for results in between, so that
 * other processes do not wait for its network round trips. If the connection is lost, it looks the outcome up.
 */
export function createSender(
  connections: Connections,
): (statements: readonly Statement[]) => Promise<Sent> {
  const writer = randomUUID();
  let turn = 0;
  return async (statements) => {
    const failed = { results: [], canRepeat: false, isOwnFailure: false };
    let connection: Connection;
    try {
      connection = await connections.any();
    } catch (cause) {
      return { ...failed, outcome: "not done", cause };
    }
    turn += 1;
    const before = [begin, lock, mark(writer, turn), ...(turn === 1 ? [deleteOldMarks] : [])];
    const sending = [...before, ...statements, commit].map(connection.send);
    const all = await Promise.allSettled(sending);
    const results = all.slice(before.length, -1);
    const last = all.at(-1)!;
    if (last.status === "fulfilled" && last.value.command === "COMMIT") {
      return { ...failed, outcome: "done", results };
    }
    const errors = all.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
    const cause = errors.find((error) => codeOf(error) !== inFailed) as unknown;
    if (!errors.some(isLost)) {
      const isOwnFailure = all
        .slice(0, before.length)
        .every(({ status }) => status === "fulfilled");
      const canRepeat = isContended(cause);
      return { outcome: "not done", results, cause, canRepeat, isOwnFailure };
    }
    connection.destroy();
    const outcome = await outcomeOf(connections, writer, turn);
    return { outcome, results, cause, canRepeat: true, isOwnFailure: false };
  };
}

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

/** Milliseconds between two statements of a longer transaction, in which this process may be busy. */
const idleInTransaction = 10_000;

export function createTransact(connections: Connections, address: Address): Transact {
  return async (body, { isBeside = false, limits, prepare } = {}) => {
    const writer = randomUUID();
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
