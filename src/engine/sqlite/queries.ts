import type { Microseconds } from "../store/stored.ts";
import type { SharedQueries } from "../store/shared-methods.ts";
import { databaseError, refuseReplaced } from "./database-error.ts";
import type { Database, Statement } from "./database-file.ts";
import { inNextTurn } from "../../core/time.ts";

export type Value = string | number | null | Uint8Array;

/** Returns the values of a statement that numbers them: $1, $2. */
export function byNumber(values: readonly Value[]): never {
  return Object.fromEntries(values.map((value, index) => [index + 1, value])) as never;
}

/** Runs statements on one database, each prepared once. Errors name the database file. */
export type Queries = ReturnType<typeof createQueries>;

/**
 * @param file path of the database, for error messages
 * @param now returns the current time, in microseconds since 1970
 */
export function createQueries(database: Database, file: string, now: () => Microseconds) {
  const prepared = new Map<string, Statement<Value[]>>();
  /** Number of transactions with writes on this connection. */
  let commits = 0;
  /** The state that the current transaction sees, once it has been asked for. */
  let state: string | undefined;
  /** The newest time that the current transaction has reserved, to be stored at its end. */
  let newest: Microseconds | undefined;

  const convert = (error: unknown): unknown => databaseError(error, file, database);
  const batches = createBatches(database, {
    begin: () => {
      state = undefined;
      newest = undefined;
    },
    finish: () => {
      commits += 1;
      if (newest !== undefined) prepare("UPDATE clock SET newest = ?").run(newest);
    },
    // A file without a name still accepts writes, which are lost with it. Checks before the batch,
    // to refuse it without writing, and after it, to acknowledge no lost write.
    check: (isCommitted) => refuseReplaced(database, file, isCommitted),
    convert,
  });

  function prepare(sql: string): Statement<Value[]> {
    const statement = prepared.get(sql) ?? database.prepare<Value[]>(sql);
    prepared.set(sql, statement);
    return statement;
  }

  function row<Row>(sql: string, ...values: Value[]): Row | undefined {
    return prepare(sql).get(...values) as Row | undefined;
  }

  function numbered<Row>(sql: string, values: Value[]): Row[] {
    return prepare(sql).all(byNumber(values)) as Row[];
  }

  const shared: SharedQueries = {
    select: (sql, ...values) => batches.read(() => numbered(sql, values)),
    selectNow: async (sql, ...values) => {
      try {
        return numbered(sql, values);
      } catch (error) {
        throw convert(error);
      }
    },
    change: (sql, ...values) => batches.write(() => numbered(sql, values)),
  };

  return {
    ...batches,
    ...shared,
    prepare,
    row,
    rows: <Row>(sql: string, ...values: Value[]) => prepare(sql).all(...values) as Row[],
    /** Returns the number of changed rows. */
    changes: (sql: string, ...values: Value[]): number => prepare(sql).run(...values).changes,
    /** Returns the id of the inserted row. */
    insert: (sql: string, ...values: Value[]): number =>
      prepare(sql).run(...values).lastInsertRowid as number,
    /** Returns a text that changes with every write of any process. Call it inside a read. */
    state: (): string =>
      (state ??= `${row<{ data_version: number }>("PRAGMA data_version")!.data_version}:${commits}`),
    /**
     * Reserves `count` times that are later than all others, even if the system clock was set back
     * (ruling 22), and returns the first. Call it inside a write.
     */
    reserveTimes: (count: number): Microseconds => {
      const last = newest ?? row<{ newest: Microseconds }>("SELECT newest FROM clock")!.newest;
      const first = Math.max(last + 1, Math.floor(now()));
      newest = first + count - 1;
      return first;
    },
    /** Throws SendctlError "database" once the file or its log was removed or replaced. */
    refuseReplaced: (): void => refuseReplaced(database, file),
    close: async (): Promise<void> => void database.close(),
  };
}

/** Queues an operation. @returns its result; rejects with its error */
type Queue = <Result>(body: () => Result) => Promise<Result>;

/** What a batch does besides its operations. */
interface BatchHooks {
  /** Called in each transaction before its operations. */
  readonly begin: () => void;
  /** Called in each transaction of writes after its operations. */
  readonly finish: () => void;
  /** Called before and after each transaction of writes. @throws an error to reject them all */
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
 * Creates the queues of a database. Operations that are queued in one turn of the event loop are a
 * batch, which has one transaction:
 *
 * - Reads of a batch share a snapshot, taken when all of them have arrived, so it contains every
 *   write acknowledged before. Locks are taken and responses sent once for all: waking a client for
 *   each response costs more than the response.
 * - Writes of a batch share a commit: flushing dominates the cost of a write, and costs the same
 *   for many. The transaction takes the write lock at once, because one that begins with a read can
 *   fail late. Each write has a savepoint, so that a failing one does not undo the others.
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
