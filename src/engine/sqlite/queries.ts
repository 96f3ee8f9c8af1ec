import { elapsed } from "../../core/time.ts";
import { countIn, createActivity, type StoreActivity } from "../activity.ts";
import type { Microseconds } from "../store/store.ts";
import type { SharedQueries } from "../store/shared-methods.ts";
import { databaseError } from "./connection/database-error.ts";
import { countTurn } from "./connection/mark.ts";
import { refuseReplaced } from "./connection/connect.ts";
import type { Database, Statement } from "./connection/open.ts";

export type Value = string | number | null | Uint8Array;

/** Values for the `?` of a statement, in order. */
type Values = Value[];

/** Runs statements on one database, each prepared once. Errors name the database file. */
export interface Queries extends SharedQueries {
  readonly row: <Row>(sql: string, ...values: Values) => Row | undefined;
  readonly rows: <Row>(sql: string, ...values: Values) => Row[];
  /** Rows as arrays, in the order of their columns. */
  readonly values: <Row extends readonly Value[]>(sql: string, ...values: Values) => Row[];
  /** Returns the number of changed rows. */
  readonly changes: (sql: string, ...values: Values) => number;
  /** Returns the id of the inserted row. */
  readonly insert: (sql: string, ...values: Values) => number;
  /** Runs reads that see one snapshot. */
  readonly read: <Result>(body: () => Result) => Promise<Result>;
  /** Runs reads and writes atomically; durable once fulfilled. The body may run more than once. */
  readonly write: <Result>(body: () => Result) => Promise<Result>;
  /** Returns a text that changes with every write of any process. Call it inside a read. */
  readonly state: () => string;
  /**
   * Reserves `count` times that are later than all others, even if the system clock was set back (ruling 22), and
   * returns the first. Call it inside a write.
   */
  readonly reserveTimes: (count: number) => Microseconds;
  /**
   * Throws once the file or its log was removed or replaced.
   *
   * @throws SendctlError "database"
   */
  readonly refuseReplaced: () => void;
  readonly activity: StoreActivity;
  readonly close: () => Promise<void>;
}

/** A queued read or write. */
interface Queued {
  readonly body: () => unknown;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Time for reads in one turn of the event loop, in milliseconds. After that, responses are sent
 * first.
 */
const maxReadTime = 4;

/** Settles the promise of one operation of a batch, once the whole batch is done and durable. */
type Settle = () => void;

/**
 * @param file path of the database, for error messages
 * @param now returns the current time, in microseconds since 1970
 */
export function createQueries(database: Database, file: string, now: () => Microseconds): Queries {
  const prepared = new Map<string, Statement<Values>>();
  const activity = createActivity();
  let queuedWrites: Queued[] = [];
  let queuedReads: Queued[] = [];
  /** The state that the current reads see, once one of them has asked for it. */
  let state: string | undefined;
  let flushes = 0;
  /** Whether the current transaction has changed anything. */
  let hasChanged = false;

  function prepare(sql: string): Statement<Values> {
    let statement = prepared.get(sql);
    if (statement === undefined) {
      statement = database.prepare<Values>(sql);
      prepared.set(sql, statement);
    }
    return statement;
  }

  function row<Row>(sql: string, ...values: Values): Row | undefined {
    return prepare(sql).get(...values) as Row | undefined;
  }

  /** The newest time, once the current transaction has reserved one. The database stores it at the end. */
  let newest: Microseconds | undefined;

  function reserveTimes(count: number): Microseconds {
    const last = newest ?? row<{ newest: Microseconds }>("SELECT newest FROM clock")!.newest;
    const first = Math.max(last + 1, Math.floor(now()));
    newest = first + count - 1;
    return first;
  }

  function storeNewest(): void {
    if (newest !== undefined) prepare(`UPDATE clock SET newest = ?, ${countTurn}`).run(newest);
    else if (hasChanged) prepare(`UPDATE clock SET ${countTurn}`).run();
  }

  let isFirst = true;
  /**
   * Flushes when the operations of this turn of the event loop are queued. The first one, which is the only one of most
   * commands, does not wait for another turn: V8 would first compile Node's part of it, for half a millisecond.
   */
  function schedule(flushQueued: () => void): void {
    if (isFirst) void Promise.resolve().then(flushQueued);
    else setImmediate(flushQueued);
    isFirst = false;
  }

  // Created once: creating a transaction function takes longer than most of its work.
  const reading = database.transaction((batch: readonly Queued[]): Settle[] => {
    state = undefined;
    const end = elapsed() + maxReadTime;
    const settles: Settle[] = [];
    for (const one of batch) {
      settles.push(run(one));
      if (elapsed() > end) break;
    }
    return settles;
  });
  const inner = database.transaction((body: () => unknown) => body());

  /** When the current transaction began to wait for the lock; undefined once it has ended to wait. */
  let waitsSince: number | undefined;

  function countWait(): void {
    if (waitsSince === undefined) return;
    countIn(activity.lockWaits, (elapsed() - waitsSince) / 1000);
    waitsSince = undefined;
  }

  /** Runs the writes of a batch in order. @param each runs one write */
  const writing = database.transaction(
    (batch: readonly Queued[], each: (one: Queued) => Settle): Settle[] => {
      countWait();
      newest = undefined;
      hasChanged = false;
      const settles = batch.map(each);
      storeNewest();
      return settles;
    },
  );

  /**
   * Writes of one turn of the event loop share a transaction: flushing to the disk dominates the
   * cost of a write, and costs the same for many. The transaction takes the write lock with its
   * first statement, because one that begins with a read can fail late. A write that fails does not
   * undo the others: the batch is rolled back and run again with a savepoint for each write. If
   * several writes are queued, more are likely on their way, so the flush waits one more turn for
   * them.
   */
  function flushSoon(): void {
    if (queuedWrites.length > 1) setImmediate(flush);
    else flush();
  }

  function flush(): void {
    const batch = queuedWrites;
    queuedWrites = [];
    flushes += 1;
    countIn(activity.batches, batch.length);
    waitsSince = elapsed();
    try {
      // A file without a name still accepts writes, which are lost with it. The check before the
      // batch prevents writes that would be refused afterwards; the check after it prevents
      // acknowledging a lost write.
      refuseReplaced(database, file, false);
      const settles = settlesOf(batch);
      refuseReplaced(database, file, true);
      for (const settle of settles) settle();
    } catch (error) {
      countWait();
      for (const { reject } of batch) reject(databaseError(error, file, database));
    }
  }

  /** Runs one operation of a batch; an error rejects only that operation. */
  function run({ body, resolve, reject }: Queued): Settle {
    try {
      const result = body() as never;
      return () => resolve(result);
    } catch (error) {
      // SQLite has rolled back the whole transaction, for example because the disk is full.
      if (!database.inTransaction) throw error;
      return () => reject(databaseError(error, file, database));
    }
  }

  /**
   * Reads of one turn of the event loop share a snapshot, taken when all of them have arrived, so
   * it contains every write acknowledged before. Locks are taken and responses sent once for all:
   * waking a client for each response costs more than the response.
   */
  function flushReads(): void {
    // Reads beyond the time limit wait for the next turn, so that long pages of many clients are
    // not all in memory before the first is sent.
    const batch = queuedReads;
    queuedReads = [];
    try {
      const settles = reading.deferred(batch);
      queuedReads = batch.slice(settles.length);
      if (queuedReads.length > 0) setImmediate(flushReads);
      for (const settle of settles) settle();
    } catch (error) {
      for (const { reject } of batch) reject(databaseError(error, file, database));
    }
  }

  function settlesOf(batch: readonly Queued[]): Settle[] {
    let hasFailed = false;
    try {
      return writing.immediate(batch, ({ body, resolve }) => {
        hasFailed = true;
        const result = body() as never;
        hasFailed = false;
        return () => resolve(result);
      });
    } catch (error) {
      // A commit that fails may have taken effect, so it is not repeated.
      if (!hasFailed || batch.length === 1) throw error;
    }
    return writing.immediate(batch, (one) => run({ ...one, body: () => inner(one.body) }));
  }

  function rows<Row>(sql: string, ...values: Values): Row[] {
    const statement = prepare(sql);
    const found = statement.all(...values) as Row[];
    if (found.length > 0 && !statement.readonly) hasChanged = true;
    return found;
  }

  /** Runs a statement whose values are numbered. */
  function all(sql: string, values: Values): never[] {
    const numbered = Object.fromEntries(values.map((value, index) => [index + 1, value]));
    return rows<never>(sql, numbered as never);
  }

  const queueRead: Queries["read"] = (body) =>
    new Promise((resolve, reject) => {
      if (queuedReads.length === 0) schedule(flushReads);
      queuedReads.push({ body, resolve, reject });
    });

  const queueWrite: Queries["write"] = (body) =>
    new Promise((resolve, reject) => {
      if (queuedWrites.length === 0) schedule(flushSoon);
      queuedWrites.push({ body, resolve, reject });
    });

  return {
    select: (sql, ...values) => queueRead(() => all(sql, values)),
    selectNow: async (sql, ...values) => {
      try {
        return all(sql, values);
      } catch (error) {
        throw databaseError(error, file, database);
      }
    },
    change: (sql, ...values) => queueWrite(() => all(sql, values)),
    row,
    rows,
    values: (sql, ...values) =>
      prepare(sql)
        .raw()
        .all(...values) as never[],
    changes: (sql, ...values) => {
      const { changes } = prepare(sql).run(...values);
      if (changes > 0) hasChanged = true;
      return changes;
    },

    insert: (sql, ...values) => prepare(sql).run(...values).lastInsertRowid as number,

    read: queueRead,

    state: () =>
      (state ??= `${row<{ data_version: number }>("PRAGMA data_version")!.data_version}:${flushes}`),
    reserveTimes,

    write: queueWrite,

    refuseReplaced: () => refuseReplaced(database, file, true),

    activity,

    close: async () => {
      try {
        database.close();
      } catch (error) {
        throw databaseError(error, file, database);
      }
    },
  };
}
