import { inNextTurn } from "../../core/time.ts";
import type { Database } from "./database-file.ts";

/** Queues an operation. @returns its result; rejects with its error */
type Queue = <Result>(body: () => Result) => Promise<Result>;

/** What a batch does besides its operations. */
interface BatchHooks {
  /** Called in each transaction before its operations. */
  readonly begin: () => void;
  /** Called in each transaction of writes after its operations. */
  readonly finish: () => void;
  /** Called before and after each transaction of writes. @throws an error that rejects all its writes */
  readonly check: (isCommitted: boolean) => void;
  /** Converts an error before it rejects an operation. */
  readonly convert: (error: unknown) => unknown;
}

/** A queued operation. */
interface Operation {
  readonly body: () => unknown;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

/** Settles the promise of one operation, once its whole batch is done and durable. */
type Settle = () => void;

/**
 * Creates the queues of a database. Operations that are queued in one turn of the event loop are a batch, which has one
 * transaction:
 *
 * - Reads of a batch share a snapshot, taken when all of them have arrived, so it contains every write acknowledged
 *   before. Locks are taken and responses sent once for all: waking a client for each response costs more than the
 *   response.
 * - Writes of a batch share a commit: flushing to the disk dominates the cost of a write, and costs the same for many.
 *   The transaction takes the write lock with its first statement, because one that begins with a read can fail late.
 *   Each write has a savepoint, so that one that fails does not undo the others.
 */
export function createBatches(database: Database, { begin, finish, check, convert }: BatchHooks) {
  // Created once: creating a transaction function takes longer than most of its work.
  const savepoint = database.transaction((body: () => unknown) => body());

  /** Runs one operation of a batch; an error rejects only that operation. */
  function runOne({ body, resolve, reject }: Operation, isWrite: boolean): Settle {
    try {
      const result = (isWrite ? savepoint(body) : body()) as never;
      return () => resolve(result);
    } catch (error) {
      // SQLite has rolled back the whole transaction, for example because the disk is full.
      if (!database.inTransaction) throw error;
      return () => reject(convert(error));
    }
  }

  const transaction = database.transaction((batch: readonly Operation[], isWrite: boolean) => {
    begin();
    const settles = batch.map((operation) => runOne(operation, isWrite));
    if (isWrite) finish();
    return settles;
  });

  function runWrites(batch: readonly Operation[]): Settle[] {
    check(false);
    const settles = transaction.immediate(batch, true);
    check(true);
    return settles;
  }

  function createQueue(run: (batch: readonly Operation[]) => readonly Settle[]): Queue {
    let queued: Operation[] = [];
    const flush = (): void => {
      const batch = queued;
      queued = [];
      try {
        for (const settle of run(batch)) settle();
      } catch (error) {
        for (const { reject } of batch) reject(convert(error));
      }
    };
    return (body) =>
      new Promise((resolve, reject) => {
        if (queued.length === 0) inNextTurn(flush);
        queued.push({ body, resolve, reject });
      });
  }

  return {
    /** Runs reads that see one snapshot. */
    read: createQueue((batch) => transaction.deferred(batch, false)),
    /** Runs reads and writes atomically; durable once fulfilled. */
    write: createQueue(runWrites),
  };
}
