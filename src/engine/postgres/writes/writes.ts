import type { Retry } from "../../store/store.ts";
import { randomUUID } from "node:crypto";
import { countIn, createActivity, type StoreActivity } from "../../activity.ts";
import type { Address } from "../connection/address.ts";
import { type Connections, failureOf } from "../connection/connections.ts";
import type { Connection, Statement, StatementResult, Value } from "../connection/connection.ts";
import { codeOf, isContended, isLost } from "../connection/database-error.ts";
import { begin, commit, lock, mark, outcomeOf, unknownOutcome } from "./outcome.ts";
import { createTransact, maxAttempts, type ReportRetry, type Transact } from "./transactions.ts";

/** A write whose values are all known in advance. */
interface Write<Result> {
  readonly statements: readonly WriteStatement[];
  /** Converts the results of the statements. */
  readonly result: (results: readonly StatementResult[]) => Result;
}

export interface Writes {
  /** Atomic, and durable when fulfilled. Concurrent writes share a transaction. */
  readonly write: <Result>(write: Write<Result>) => Promise<Result>;
  readonly transact: Transact;
  /** Fulfilled when no write is in progress. */
  readonly settled: () => Promise<void>;
  readonly activity: StoreActivity;
}

/** Maximum number of writes that share a transaction. */
const maxBatchSize = 500;

interface QueuedWrite {
  readonly write: Write<unknown>;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

type Batch = readonly QueuedWrite[];
type Settled = PromiseSettledResult<StatementResult>;

/** Index of the lock among the statements of a transaction. */
const lockIndex = 1;

/** Deletes the marks of processes that have ended. */
const deleteOldMarks: Statement = {
  text: "DELETE FROM writer WHERE at < now() - interval '1 hour'",
};

/** SQLSTATE of the statements after a failed one. */
const inFailed = "25P02";

/**
 * Creates the writer of one process. It sends a whole transaction with its commit and does not wait for results
 * in between, so that other processes do not wait for its network round trips. Writes that arrive meanwhile form
 * the next transaction. If the connection is lost, the outcome is looked up: see outcome.ts.
 *
 * @param onFirst called after the first transaction
 * @param onRetry called before a transaction is repeated
 */
export function createWrites(
  connections: Connections,
  address: Address,
  onFirst: () => void,
  onRetry: (retry: Retry) => void,
): Writes {
  const writer = randomUUID();
  const activity: StoreActivity = { ...createActivity(), pool: connections.state };
  let turn = 0;
  let queue: QueuedWrite[] = [];
  let running: Promise<void> | undefined;
  const transactions = new Set<Promise<unknown>>();

  const reportRetry: ReportRetry = (error, attempt, since, requests = 1) => {
    const waited = performance.now() - since;
    onRetry({ work: "write", requests, code: codeOf(error), attempt, waited });
  };
  const transact = createTransact(connections, address, reportRetry);

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

  /** Commits a batch, in as many attempts as it takes. */
  async function commitBatch(
    batch: Batch,
    attempt = 1,
    startedAt = performance.now(),
  ): Promise<void> {
    const again = (error: unknown): Promise<void> => {
      reportRetry(error, attempt, startedAt, batch.length);
      return commitBatch(batch, attempt + 1, startedAt);
    };
    let connection: Connection;
    try {
      connection = await connections.any();
    } catch (error) {
      // Nothing was sent.
      return rejectAll(batch, await failureOf(error, address, attempt));
    }
    turn += 1;
    const before = [begin, lock, mark(writer, turn), ...(turn === 1 ? [deleteOldMarks] : [])];
    const own = merge(batch.flatMap(({ write }) => write.statements));
    const results = await sendAll(connection, [...before, ...own.statements, commit]);
    const last = results.at(-1)!;
    const errors = results.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    const cause = errors.find((one) => codeOf(one) !== inFailed) as unknown;
    const isCommitted = last.status === "fulfilled" && last.value.command === "COMMIT";
    const isUnclear = !isCommitted && errors.some(isLost);
    if (isUnclear) connection.destroy();
    const outcome = isUnclear ? await outcomeOf(connections, writer, turn) : "not done";
    if (isCommitted || outcome === "done") {
      return resolveAll(batch, own.resultsOf(results.slice(before.length)), attempt);
    }
    if (outcome === "unknown") return rejectAll(batch, unknownOutcome(address, cause, attempt));
    if ((isUnclear || isContended(cause)) && attempt < maxAttempts) return again(cause);
    const isOneWrite = results
      .slice(0, before.length)
      .every(({ status }) => status === "fulfilled");
    if (isUnclear || !isOneWrite || batch.length === 1) {
      return rejectAll(batch, await failureOf(cause, address, attempt));
    }
    // One write failed and rolled back the others, so each gets its own transaction.
    for (const one of batch) await commitBatch([one]);
  }

  async function sendAll(
    connection: Connection,
    statements: readonly Statement[],
  ): Promise<Settled[]> {
    const sentAt = performance.now();
    const sent = statements.map(connection.send);
    const countWait = (): void => countIn(activity.lockWaits, (performance.now() - sentAt) / 1000);
    sent[lockIndex]!.then(countWait, countWait);
    return Promise.allSettled(sent);
  }

  function resolveAll(batch: Batch, results: readonly Settled[], attempts: number): void {
    let next = 0;
    for (const { write, resolve, reject } of batch) {
      const own = results.slice(next, (next += write.statements.length));
      const values = own.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
      const failed = own.find((one) => one.status === "rejected");
      try {
        if (failed === undefined) resolve(write.result(values) as never);
        // It was committed, but its result was lost with the connection.
        else reject(unknownOutcome(address, failed.reason, attempts));
      } catch (error) {
        reject(error);
      }
    }
  }

  return {
    activity,
    write: (write) =>
      new Promise((resolve, reject) => {
        queue.push({ write, resolve, reject });
        running ??= Promise.resolve().then(run);
      }),
    transact: (body, options) => {
      const done = transact(body, options);
      transactions.add(done);
      const remove = (): void => void transactions.delete(done);
      done.then(remove, remove);
      return done;
    },
    settled: async () => {
      await Promise.allSettled([running, ...transactions]);
    },
  };
}

function rejectAll(batch: Batch, error: unknown): void {
  for (const { reject } of batch) reject(error);
}

/** A statement of a write. */
interface WriteStatement extends Statement {
  /**
   * Whether neighbours with the same text and first value become one statement. Its text takes an array for each other
   * value, and returns one row for each statement, in their order.
   */
  readonly isMergeable?: boolean;
}

interface Merged {
  readonly statements: readonly Statement[];
  /** Returns the result of each original statement. */
  readonly resultsOf: (results: readonly Settled[]) => Settled[];
}

/** Merges the statements of a batch: one insert of many rows takes a fraction of the time of many inserts. */
function merge(statements: readonly WriteStatement[]): Merged {
  const runs: WriteStatement[][] = [];
  for (const statement of statements) {
    const last = runs.at(-1);
    if (last !== undefined && canMerge(last[0]!, statement)) last.push(statement);
    else runs.push([statement]);
  }
  return {
    statements: runs.map((run) => (run[0]!.isMergeable === true ? merged(run) : run[0]!)),
    resultsOf: (results) =>
      runs.flatMap((run, index) =>
        run[0]!.isMergeable === true
          ? run.map((_, place) => resultAt(results[index]!, place))
          : results[index]!,
      ),
  };
}

function canMerge(one: WriteStatement, other: WriteStatement): boolean {
  return (
    one.isMergeable === true && one.text === other.text && one.values?.[0] === other.values?.[0]
  );
}

function merged(run: readonly WriteStatement[]): Statement {
  const [first, ...others] = run[0]!.values ?? [];
  const columns = others.map((_, index) => run.map(({ values }) => values![index + 1]!));
  return { ...run[0]!, values: [first!, ...(columns as Value[])] };
}

function resultAt(result: Settled, place: number): Settled {
  if (result.status === "rejected") return result;
  const { rows, command } = result.value;
  return { status: "fulfilled", value: { rows: [rows[place]], count: 1, command } };
}
