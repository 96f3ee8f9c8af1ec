import type { Microseconds } from "../store/stored.ts";
import type { SharedQueries } from "../store/shared-methods.ts";
import { createBatches } from "./batches.ts";
import { databaseError, refuseReplaced } from "./database-error.ts";
import type { Database, Statement } from "./database-file.ts";

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
  /** The newest time, once the current transaction has reserved one. The database stores it at the end. */
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
    // A file without a name still accepts writes, which are lost with it. The check before the batch prevents writes
    // that would be refused afterwards; the check after it prevents acknowledging a lost write.
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
     * Reserves `count` times that are later than all others, even if the system clock was set back (ruling 22), and
     * returns the first. Call it inside a write.
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
