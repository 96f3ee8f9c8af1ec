import { databaseFailure } from "./database-failure.ts";
import type { Database, Statement } from "./open.ts";

/** Values for a statement's `?`, in their order. */
type Values = (string | number | null | Uint8Array)[];

/** Statements on one database, each prepared once; what fails is told of the file. */
export interface Queries {
  readonly row: <Row>(sql: string, ...values: Values) => Row | undefined;
  readonly rows: <Row>(sql: string, ...values: Values) => Row[];
  /** How many rows were changed. */
  readonly changes: (sql: string, ...values: Values) => number;
  /** Reads that see one state. */
  readonly read: <Result>(body: () => Result) => Promise<Result>;
  /** Reads and writes, all or nothing; durable when fulfilled. */
  readonly write: <Result>(body: () => Result) => Promise<Result>;
  readonly close: () => Promise<void>;
}

/** A write that waits for its turn. */
interface Waiting {
  readonly body: () => unknown;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

/** What became of one write of several: settled once all of them are durable. */
type Settle = () => void;

/** @param file its path, for what goes wrong with it */
export function createQueries(database: Database, file: string): Queries {
  const prepared = new Map<string, Statement<Values>>();
  let waiting: Waiting[] = [];
  /** Made once: better-sqlite3 makes four functions of it. */
  const transaction = database.transaction((body: () => unknown) => body());

  function prepare(sql: string): Statement<Values> {
    let statement = prepared.get(sql);
    if (statement === undefined) {
      statement = database.prepare<Values>(sql);
      prepared.set(sql, statement);
    }
    return statement;
  }

  /**
   * Flushing to the disk is what a write costs, and it costs as much for many as for one: the writes of
   * one turn of the event loop share a transaction, each in a savepoint of its own. The transaction takes
   * the write lock with its first statement; one that begins with a read can fail late.
   */
  function flush(): void {
    const batch = waiting;
    waiting = [];
    const settles: Settle[] = [];
    try {
      transaction.immediate(() => {
        for (const { body, resolve, reject } of batch) {
          try {
            const result = transaction(body) as never;
            settles.push(() => resolve(result));
          } catch (error) {
            // SQLite has given the whole transaction up, say for a disk that is full.
            if (!database.inTransaction) throw error;
            settles.push(() => reject(databaseFailure(error, file)));
          }
        }
      });
      for (const settle of settles) settle();
    } catch (error) {
      for (const { reject } of batch) reject(databaseFailure(error, file));
    }
  }

  return {
    row: (sql, ...values) => prepare(sql).get(...values) as never,
    rows: (sql, ...values) => prepare(sql).all(...values) as never[],
    changes: (sql, ...values) => prepare(sql).run(...values).changes,

    read: async <Result>(body: () => Result) => {
      try {
        return transaction.deferred(body) as Result;
      } catch (error) {
        throw databaseFailure(error, file);
      }
    },

    write: (body) =>
      new Promise((resolve, reject) => {
        if (waiting.length === 0) setImmediate(flush);
        waiting.push({ body, resolve, reject });
      }),

    close: async () => {
      try {
        database.close();
      } catch (error) {
        throw databaseFailure(error, file);
      }
    },
  };
}
