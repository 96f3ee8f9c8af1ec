import type { Address } from "../connection/address.ts";
import type { Statement } from "../connection/connection.ts";
import { failureOf, type Connections } from "../connection/connections.ts";
import { unknownOutcome } from "./outcome.ts";
import {
  createSender,
  createTransact,
  maxAttempts,
  type Settled,
  type Transact,
} from "./transactions.ts";

export interface Writes {
  /**
   * Runs a statement in a transaction, which concurrent writes share. Atomic, and durable when fulfilled.
   *
   * @returns its rows
   */
  readonly write: <Row>(statement: Statement) => Promise<Row[]>;
  readonly transact: Transact;
  /** Fulfilled when no write is in progress. */
  readonly settled: () => Promise<void>;
}

/** Maximum number of writes that share a transaction. */
const maxBatchSize = 500;

interface QueuedWrite {
  readonly statement: Statement;
  readonly resolve: (rows: never) => void;
  readonly reject: (error: unknown) => void;
}

type Batch = readonly QueuedWrite[];

/**
 * Creates the writer of one process. A write joins a queue. While one transaction is in progress, later writes wait,
 * and then form the next one: see transactions.ts for how it is sent, and outcome.ts for a lost connection.
 *
 * @param onFirst called after the first transaction
 */
export function createWrites(
  connections: Connections,
  address: Address,
  onFirst: () => void,
): Writes {
  let hasSent = false;
  let queue: QueuedWrite[] = [];
  let running: Promise<void> | undefined;
  const transactions = new Set<Promise<unknown>>();

  const send = createSender(connections);
  const transact = createTransact(connections, address);

  async function run(): Promise<void> {
    while (queue.length > 0) {
      const batch = queue.slice(0, maxBatchSize);
      queue = queue.slice(maxBatchSize);
      const isFirst = !hasSent;
      await commitBatch(batch);
      if (isFirst && hasSent) onFirst();
    }
    running = undefined;
  }

  /** Commits a batch, in as many attempts as it takes. */
  async function commitBatch(batch: Batch): Promise<void> {
    const statements = batch.map(({ statement }) => statement);
    for (let attempt = 1; ; attempt += 1) {
      const { outcome, results, cause, canRepeat, isOwnFailure } = await send(statements);
      // Without a connection there are no results.
      hasSent ||= results.length > 0;
      if (outcome === "done") return settle(batch, results, attempt);
      if (outcome === "unknown") return rejectAll(batch, unknownOutcome(address, cause, attempt));
      if (canRepeat && attempt < maxAttempts) continue;
      if (!isOwnFailure || batch.length === 1) {
        return rejectAll(batch, await failureOf(cause, address, attempt));
      }
      // One write failed and rolled back the others, so each gets its own transaction.
      for (const write of batch) await commitBatch([write]);
      return;
    }
  }

  function settle(batch: Batch, results: readonly Settled[], attempts: number): void {
    for (const [index, { resolve, reject }] of batch.entries()) {
      const result = results[index]!;
      if (result.status === "fulfilled") resolve(result.value.rows as never);
      // It was committed, but its result was lost with the connection.
      else reject(unknownOutcome(address, result.reason, attempts));
    }
  }

  return {
    write: (statement) =>
      new Promise((resolve, reject) => {
        queue.push({ statement, resolve, reject });
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
