import type { Microseconds } from "../store.ts";
import { createClock } from "./clock.ts";
import { databaseError } from "./connection/database-error.ts";
import { countTurn } from "./connection/mark.ts";
import { refuseReplaced } from "./connection/open-file.ts";
import type { Database, Statement } from "./connection/open.ts";

export type Value = string | number | null | Uint8Array;

/** Values for a statement's `?`, in their order. */
type Values = Value[];

/** Statements on one database, each prepared once; what fails is told of the file. */
export interface Queries {
  readonly row: <Row>(sql: string, ...values: Values) => Row | undefined;
  readonly rows: <Row>(sql: string, ...values: Values) => Row[];
  /** Rows as arrays, in the order of their columns. */
  readonly values: <Row extends readonly Value[]>(sql: string, ...values: Values) => Row[];
  /** How many rows were changed. */
  readonly changes: (sql: string, ...values: Values) => number;
  /** The id of the row that was inserted. */
  readonly insert: (sql: string, ...values: Values) => number;
  /** One read that does not wait for others. */
  readonly now: <Row>(sql: string, ...values: Values) => Promise<Row | undefined>;
  /** Reads that see one state. */
  readonly read: <Result>(body: () => Result) => Promise<Result>;
  /** Reads and writes, all or nothing; durable when fulfilled. It may be begun more than once. */
  readonly write: <Result>(body: () => Result) => Promise<Result>;
  /** Within a read: what changes with every write, of this process or of another. */
  readonly state: () => string;
  /** The first of so many times that are later than all others: within a write. */
  readonly reserveTimes: (count: number) => Microseconds;
  /** @throws SendctlError "database" once the file, or its log, was removed or replaced */
  readonly refuseReplaced: () => void;
  readonly close: () => Promise<void>;
}

/** A write that waits for its turn. */
interface Waiting {
  readonly body: () => unknown;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

/** Milliseconds of reads in one turn of the event loop: beyond it, responses go out first. */
const readsAtATime = 4;

/** What became of one write of several: settled once all of them are durable. */
type Settle = () => void;

/**
 * @param file its path, for what goes wrong with it
 * @param now the time, in microseconds since 1970
 */
export function createQueries(database: Database, file: string, now: () => Microseconds): Queries {
  const prepared = new Map<string, Statement<Values>>();
  let waiting: Waiting[] = [];
  let asked: Waiting[] = [];
  /** Of the reads that are under way, once somebody has asked for it. */
  let state: string | undefined;
  let flushes = 0;
  /** Whether the transaction has changed anything. */
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

  const clock = createClock(
    () => row<{ newest: Microseconds }>("SELECT newest FROM clock")!.newest,
    (newest) => {
      if (newest === undefined) prepare(`UPDATE clock SET ${countTurn}`).run();
      else prepare(`UPDATE clock SET newest = ?, ${countTurn}`).run(newest);
    },
    now,
  );

  // Made once: making one takes longer than most of what is done in it.
  const reading = database.transaction((batch: readonly Waiting[]): Settle[] => {
    state = undefined;
    const end = performance.now() + readsAtATime;
    const settles: Settle[] = [];
    for (const one of batch) {
      settles.push(settled(one));
      if (performance.now() > end) break;
    }
    return settles;
  });
  const inner = database.transaction((body: () => unknown) => body());

  /** The writes of a batch, one after the other. @param each carries one out */
  const writing = database.transaction(
    (batch: readonly Waiting[], each: (one: Waiting) => Settle): Settle[] => {
      clock.begin();
      hasChanged = false;
      const settles = batch.map(each);
      clock.end(hasChanged);
      return settles;
    },
  );

  /**
   * Flushing to the disk is what a write costs, and it costs as much for many as for one: the writes of
   * one turn of the event loop share a transaction. It takes the write lock with its first statement; one
   * that begins with a read can fail late. A write that fails has nobody else's undone: it is all rolled
   * back, and done again with a savepoint for each. Where several come at once, more are on their way: one
   * turn later they are there, too.
   */
  function flushSoon(): void {
    if (waiting.length > 1) setImmediate(flush);
    else flush();
  }

  function flush(): void {
    const batch = waiting;
    waiting = [];
    flushes += 1;
    try {
      // A file that has lost its name takes writes as before, and they are lost with it. Before, so that
      // nothing is done that is refused afterwards; after, so that nothing is acknowledged that is lost.
      refuseReplaced(database, file, false);
      const settles = settlesOf(batch);
      refuseReplaced(database, file, true);
      for (const settle of settles) settle();
    } catch (error) {
      for (const { reject } of batch) reject(databaseError(error, file, database));
    }
  }

  /** One of several, of which each fails on its own. */
  function settled({ body, resolve, reject }: Waiting): Settle {
    try {
      const result = body() as never;
      return () => resolve(result);
    } catch (error) {
      return () => reject(databaseError(error, file, database));
    }
  }

  /**
   * The reads of one turn of the event loop see one state, as it is when all of them have come: what any of
   * those who ask has been told of before is in it. Locks are taken, and answers sent, once for all: a
   * client that is woken for each answer costs more than the answer.
   */
  function flushReads(): void {
    // Long pages of many clients at once would all stand in memory before the first of them is sent.
    const batch = asked;
    asked = [];
    try {
      const settles = reading.deferred(batch);
      asked = batch.slice(settles.length);
      if (asked.length > 0) setImmediate(flushReads);
      for (const settle of settles) settle();
    } catch (error) {
      for (const { reject } of batch) reject(databaseError(error, file, database));
    }
  }

  function settlesOf(batch: readonly Waiting[]): Settle[] {
    let hasFailed = false;
    try {
      return writing.immediate(batch, ({ body, resolve }) => {
        hasFailed = true;
        const result = body() as never;
        hasFailed = false;
        return () => resolve(result);
      });
    } catch (error) {
      // What fails at its end may have been done all the same.
      if (!hasFailed || batch.length === 1) throw error;
    }
    return writing.immediate(batch, ({ body, resolve, reject }) => {
      try {
        const result = inner(body) as never;
        return () => resolve(result);
      } catch (error) {
        // SQLite has given the whole transaction up, say for a disk that is full.
        if (!database.inTransaction) throw error;
        return () => reject(databaseError(error, file, database));
      }
    });
  }

  return {
    now: async (sql, ...values) => {
      try {
        return prepare(sql).get(...values) as never;
      } catch (error) {
        throw databaseError(error, file, database);
      }
    },
    row,
    rows: (sql, ...values) => prepare(sql).all(...values) as never[],
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

    read: (body) =>
      new Promise((resolve, reject) => {
        if (asked.length === 0) setImmediate(flushReads);
        asked.push({ body, resolve, reject });
      }),

    state: () =>
      (state ??= `${row<{ data_version: number }>("PRAGMA data_version")!.data_version}:${flushes}`),
    reserveTimes: clock.reserve,

    write: (body) =>
      new Promise((resolve, reject) => {
        if (waiting.length === 0) setImmediate(flushSoon);
        waiting.push({ body, resolve, reject });
      }),

    refuseReplaced: () => refuseReplaced(database, file, true),

    close: async () => {
      try {
        database.close();
      } catch (error) {
        throw databaseError(error, file, database);
      }
    },
  };
}
