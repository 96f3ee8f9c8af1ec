import { countIn, createActivity, type StoreActivity } from "../../../contract/activity.ts";
import { SendctlError } from "../../../contract/error.ts";
import type { Retry } from "../../../contract/served-request.ts";
import type { Address } from "../connection/address.ts";
import type { StatementResult, Connection, Limits, Statement } from "../connection/connection.ts";
import type { Connections } from "../connection/connections.ts";
import { codeOf, isContended, isLost, addressText } from "../connection/database-error.ts";
import { failureOf } from "../connection/connected.ts";
import { merge, type WriteStatement } from "./merge.ts";

/** A write whose values are all known in advance. */
interface Write<Result> {
  readonly statements: readonly WriteStatement[];
  /** Converts the results of the statements. */
  readonly result: (results: readonly StatementResult[]) => Result;
}

/** The body of a transaction that reads before it writes. */
type Body<Result> = (connection: Connection) => Promise<Result>;

export interface Writes {
  /** Atomic, and durable when fulfilled. Concurrent writes share a transaction. */
  readonly write: <Result>(write: Write<Result>) => Promise<Result>;
  /** Runs a longer transaction on a separate connection. All other writers wait for it. */
  readonly transact: <Result>(body: Body<Result>, limits?: Partial<Limits>) => Promise<Result>;
  /**
   * Runs a longer transaction for which other writers need not wait. It must take no ids or times, and lock no row
   * that they write, except in its last statements.
   *
   * @param prepare runs once, before the transaction, which is repeated after a conflict
   */
  readonly transactBeside: <Result>(
    body: Body<Result>,
    limits?: Partial<Limits>,
    prepare?: Body<void>,
  ) => Promise<Result>;
  /** Fulfilled when no write is in progress. */
  readonly settled: () => Promise<void>;
  readonly activity: StoreActivity;
}

/** Maximum attempts of a write that was rolled back because of a conflict, or not committed. */
const maxAttempts = 5;

/** Milliseconds to find out whether a transaction was committed after its connection was lost. */
const timeout = 10_000;

/** Milliseconds between two statements of a longer transaction, in which this process may be busy. */
const idleInTransaction = 10_000;

/** Maximum number of writes that share a transaction. */
const maxBatchSize = 500;

interface QueuedWrite {
  readonly write: Write<unknown>;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

/** Outcome of a transaction whose connection was lost. */
type Outcome = "done" | "not done" | "unknown";

const begin: Statement = { text: "BEGIN" };
const commit: Statement = { text: "COMMIT" };
const rollback: Statement = { text: "ROLLBACK" };

/** Index of the lock among the statements of a transaction. */
const lockIndex = 1;

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

/**
 * Creates the writer of one process. It sends a whole transaction with its commit and does not wait for results
 * in between, so that other processes do not wait for its network round trips. Writes that arrive meanwhile form
 * the next transaction. If the connection is lost, the mark shows whether the commit succeeded; a fence first
 * prevents the transaction from being committed later.
 *
 * @param onFirst called after the first transaction
 * @param onRetry called before a transaction is repeated
 */
export function createWrites(
  connections: Connections,
  address: Address,
  newUuid: () => string,
  onFirst: () => void,
  onRetry: (retry: Retry) => void,
): Writes {
  const writer = newUuid();
  const activity: StoreActivity = { ...createActivity(), pool: connections.state };
  let turn = 0;
  let queue: QueuedWrite[] = [];
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    while (queue.length > 0) {
      const batch = queue.slice(0, maxBatchSize);
      queue = queue.slice(maxBatchSize);
      countIn(activity.batches, batch.length);
      const isFirst = turn === 0;
      await commitBatch(batch);
      if (isFirst) onFirst();
    }
    running = undefined;
  }

  async function commitBatch(
    batch: readonly QueuedWrite[],
    attempt = 1,
    startedAt = performance.now(),
  ): Promise<void> {
    const again = (error: unknown): Promise<void> => {
      reportRetry(batch.length, error, attempt, startedAt);
      return commitBatch(batch, attempt + 1, startedAt);
    };
    let connection: Connection;
    try {
      connection = await connections.writing();
    } catch (error) {
      // Nothing was sent.
      return rejectAll(batch, await failureOf(error, address, attempt));
    }
    turn += 1;
    const isFirst = turn === 1;
    const before = [begin, lock, mark(writer, turn), ...(isFirst ? [deleteOldMarks] : [])];
    const own = merge(batch.flatMap(({ write }) => write.statements));
    const statements = [...before, ...own.statements, commit];
    const sentAt = performance.now();
    const sent = statements.map(connection.send);
    const countWait = (): void => countIn(activity.lockWaits, (performance.now() - sentAt) / 1000);
    sent[lockIndex]!.then(countWait, countWait);
    const results = await Promise.allSettled(sent);
    const last = results.at(-1)!;
    const errors = results.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    if (last.status === "fulfilled" && last.value.command === "COMMIT") {
      return resolveAll(batch, own.resultsOf(results.slice(before.length)), attempt);
    }
    const cause = errors.find((one) => codeOf(one) !== inFailed) as unknown;
    if (errors.some(isLost)) {
      connection.destroy();
      const outcome = await outcomeOf(writer, turn);
      if (outcome === "done") {
        return resolveAll(batch, own.resultsOf(results.slice(before.length)), attempt);
      }
      if (outcome === "unknown") return rejectAll(batch, unknownOutcome(cause, attempt));
      if (attempt < maxAttempts) return again(cause);
      return rejectAll(batch, await failureOf(cause, address, attempt));
    }
    if (isContended(cause) && attempt < maxAttempts) return again(cause);
    const isOneWrite = results
      .slice(0, before.length)
      .every(({ status }) => status === "fulfilled");
    if (!isOneWrite || batch.length === 1) {
      return rejectAll(batch, await failureOf(cause, address, attempt));
    }
    // One write failed and rolled back the others, so each gets its own transaction.
    for (const one of batch) await commitBatch([one]);
  }

  function resolveAll(
    batch: readonly QueuedWrite[],
    results: readonly PromiseSettledResult<StatementResult>[],
    attempts: number,
  ): void {
    let next = 0;
    for (const { write, resolve, reject } of batch) {
      const own = results.slice(next, (next += write.statements.length));
      const values = own.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
      const failed = own.find((one) => one.status === "rejected");
      try {
        if (failed === undefined) resolve(write.result(values) as never);
        // It was committed, but its result was lost with the connection.
        else reject(unknownOutcome(failed.reason, attempts));
      } catch (error) {
        reject(error);
      }
    }
  }

  function reportRetry(requests: number, error: unknown, attempt: number, startedAt: number): void {
    const waited = performance.now() - startedAt;
    onRetry({ work: "write", requests, code: codeOf(error), attempt, waited });
  }

  function unknownOutcome(cause: unknown, attempts: number): SendctlError {
    const message = `lost the connection to the database ${addressText(address)}; the write may have succeeded`;
    const hint = "list the records before you retry";
    return new SendctlError("outcome_unknown", message, { hint, cause, attempts });
  }

  /** @param isBeside whether the transaction did not take the lock */
  async function outcomeOf(writer: string, turn: number, isBeside = false): Promise<Outcome> {
    const deadline = Date.now() + timeout;
    for (let pause = 20; ; pause = Math.min(1000, pause * 2)) {
      try {
        return await readMark(writer, turn, isBeside);
      } catch {
        if (Date.now() + pause > deadline) return "unknown";
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    }
  }

  async function readMark(writer: string, turn: number, isBeside: boolean): Promise<Outcome> {
    const connection = await connections.own({ lock: timeout, statement: timeout });
    try {
      const results = await Promise.all(
        [
          begin,
          // Wait for the transaction if it is still running. The fence waits for its mark as well.
          ...(isBeside ? [] : [lock]),
          {
            text: `INSERT INTO writer (id, turn, fence) VALUES ($1, 0, $2)
                   ON CONFLICT (id) DO UPDATE SET fence = excluded.fence
                   WHERE writer.turn <> excluded.fence`,
            values: [writer, turn],
          },
          { text: "SELECT turn FROM writer WHERE id = $1", values: [writer] },
          commit,
        ].map(connection.send),
      );
      const [row] = results.at(-2)!.rows as { turn: number }[];
      return row!.turn === turn ? "done" : "not done";
    } finally {
      connection.destroy();
    }
  }

  const transactions = new Set<Promise<unknown>>();

  async function transact<Result>(
    body: Body<Result>,
    limits: Partial<Limits> | undefined,
    isBeside: boolean,
    prepare: Body<void> | undefined,
  ): Promise<Result> {
    const own = newUuid();
    const startedAt = performance.now();
    let connection: Connection | undefined;
    let attempt = 1;
    try {
      connection = await connections.own({ idle: idleInTransaction, ...limits });
      // Only once, because its input may be used up. What it leaves in the connection survives a rollback.
      await prepare?.(connection);
      for (; ; attempt += 1) {
        try {
          return await runOnce(connection, own, attempt, body, isBeside);
        } catch (error) {
          if (!isContended(error) || attempt >= maxAttempts) throw error;
          reportRetry(1, error, attempt, startedAt);
          await connection.send(rollback);
        }
      }
    } catch (error) {
      throw await failureOf(error, address, attempt);
    } finally {
      // Closing the connection rolls back an open transaction.
      connection?.destroy();
    }
  }

  async function runOnce<Result>(
    connection: Connection,
    own: string,
    attempt: number,
    body: Body<Result>,
    isBeside: boolean,
  ): Promise<Result> {
    const before = [begin, ...(isBeside ? [] : [lock]), mark(own, attempt)];
    await Promise.all(before.map(connection.send));
    const result = await body(connection);
    try {
      await connection.send(commit);
    } catch (error) {
      if (!isLost(error)) throw error;
      const outcome = await outcomeOf(own, attempt, isBeside);
      if (outcome === "unknown") throw unknownOutcome(error, attempt);
      if (outcome === "not done") throw error;
    }
    return result;
  }

  /** Keeps a transaction until it has ended. */
  function kept<Result>(done: Promise<Result>): Promise<Result> {
    transactions.add(done);
    const remove = (): void => void transactions.delete(done);
    done.then(remove, remove);
    return done;
  }

  return {
    activity,
    write: (write) =>
      new Promise((resolve, reject) => {
        queue.push({ write, resolve, reject });
        running ??= Promise.resolve().then(run);
      }),
    transact: (body, limits) => kept(transact(body, limits, false, undefined)),
    transactBeside: (body, limits, prepare) => kept(transact(body, limits, true, prepare)),
    settled: async () => {
      await Promise.allSettled([running, ...transactions]);
    },
  };
}

/** SQLSTATE of the statements after a failed one. */
const inFailed = "25P02";

function rejectAll(batch: readonly QueuedWrite[], error: unknown): void {
  for (const { reject } of batch) reject(error);
}
