import { elapsed, inNextTurn } from "../../core/time.ts";
import type { Database } from "./connection/open.ts";

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
 * Time for reads in one turn of the event loop, in milliseconds. After that, responses are sent
 * first.
 */
const maxReadTime = 4;

/**
 * Creates the queues of a database. Operations that are queued in one turn of the event loop are a batch, which has one
 * transaction:
 *
 * - Reads of a batch share a snapshot, taken when all of them have arrived, so it contains every write acknowledged
 *   before. Locks are taken and responses sent once for all: waking a client for each response costs more than the
 *   response.
 * - Writes of a batch share a commit: flushing to the disk dominates the cost of a write, and costs the same for many.
 *   The transaction takes the write lock with its first statement, because one that begins with a read can fail late.
 */
export function createBatches(database: Database, hooks: BatchHooks) {
  const { begin, finish, check, convert } = hooks;

  const queue = (run: RunBatch): Queue => createQueue(run, convert);
  const runAlone = (operation: Operation): Settle => settleAlone(database, operation, convert);

  // Created once: creating a transaction function takes longer than most of its work.
  const reading = database.transaction((batch: readonly Operation[]): Settle[] => {
    begin();
    const end = elapsed() + maxReadTime;
    const settles: Settle[] = [];
    for (const read of batch) {
      settles.push(runAlone(read));
      // The other reads wait, so that long pages of many clients are not all in memory before the first is sent.
      if (elapsed() > end) break;
    }
    return settles;
  });

  const writing = database.transaction(
    (batch: readonly Operation[], run: (write: Operation) => Settle): Settle[] => {
      begin();
      const settles = batch.map(run);
      finish();
      return settles;
    },
  );
  const savepoint = database.transaction((body: () => unknown) => body());

  /**
   * Commits the writes of a batch. A write that fails does not undo the others: the batch is rolled back and run again
   * with a savepoint for each write.
   */
  function commit(batch: readonly Operation[]): Settle[] {
    let isInWrite = false;
    try {
      return writing.immediate(batch, ({ body, resolve }) => {
        isInWrite = true;
        const result = body() as never;
        isInWrite = false;
        return () => resolve(result);
      });
    } catch (error) {
      // A commit that fails may have taken effect, so it is not repeated.
      if (!isInWrite || batch.length === 1) throw error;
    }
    return writing.immediate(batch, (write) =>
      runAlone({ ...write, body: () => savepoint(write.body) }),
    );
  }

  function runWrites(batch: readonly Operation[]): Settle[] {
    check(false);
    const settles = commit(batch);
    check(true);
    return settles;
  }

  return {
    /** Runs reads that see one snapshot. */
    read: queue((batch) => reading.deferred(batch)),
    /** Runs reads and writes atomically; durable once fulfilled. The body may run more than once. */
    write: queue(runWrites),
  };
}

/** Runs a batch, or the beginning of one; the other operations wait for the next turn. */
type RunBatch = (batch: readonly Operation[]) => readonly Settle[];

function createQueue(run: RunBatch, convert: BatchHooks["convert"]): Queue {
  let queued: Operation[] = [];
  const flush = (): void => {
    const batch = queued;
    queued = [];
    try {
      const settles = run(batch);
      queued = batch.slice(settles.length);
      if (queued.length > 0) inNextTurn(flush);
      for (const settle of settles) settle();
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

/** Runs one operation of a batch; an error rejects only that operation. */
function settleAlone(
  database: Database,
  { body, resolve, reject }: Operation,
  convert: BatchHooks["convert"],
): Settle {
  try {
    const result = body() as never;
    return () => resolve(result);
  } catch (error) {
    // SQLite has rolled back the whole transaction, for example because the disk is full.
    if (!database.inTransaction) throw error;
    return () => reject(convert(error));
  }
}
