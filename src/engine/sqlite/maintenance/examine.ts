import { statSync } from "node:fs";
import { databaseError } from "../connection/database-error.ts";
import { findProblems, quickChecks } from "./integrity.ts";
import { migrations } from "../connection/migrations.ts";
import {
  logSize,
  openToRead,
  refuseReadOnly,
  stepsBehind,
  withDatabase,
  type Database,
} from "../connection/open.ts";

/** The schema version of this release. */
export const newestVersion = migrations.length;

/** A database that is only read. */
interface Examined {
  /**
   * Returns the number of missing migrations.
   *
   * @throws SendctlError "database" for a foreign, newer or truncated database
   */
  readonly stepsBehind: () => number;
  /**
   * Returns the problems that SQLite finds; undefined if the database is too large to check within
   * a few seconds.
   */
  readonly problems: () => readonly string[] | undefined;
  /** Returns whether the database issued the key with this hash. */
  readonly knowsKey: (hash: Uint8Array) => boolean;
}

/** Maximum size of a database that is checked, in bytes. */
const maxCheckedBytes = 256 * 1024 * 1024;

/**
 * Opens a database while other processes may use it, and closes it after `use`.
 *
 * @param timeout how long to wait for other processes, in milliseconds
 * @throws SendctlError "database" if it cannot be opened
 */
export function examineDatabase<Result>(
  file: string,
  timeout: number,
  use: (examined: Examined) => Result,
): Promise<Result> {
  const examine = (database: Database): Result => {
    /** Returns a function whose errors name the file. */
    const named =
      <Given extends unknown[], Found>(read: (...given: Given) => Found) =>
      (...given: Given): Found => {
        try {
          return read(...given);
        } catch (error) {
          throw databaseError(error, file, database);
        }
      };
    return use({
      stepsBehind: named(() => stepsBehind(database, file)),
      problems: named(() => {
        if (statSync(file).size + logSize(file) > maxCheckedBytes) return undefined;
        return findProblems(database, quickChecks).first.map(({ detail }) => detail);
      }),
      knowsKey: named((hash: Uint8Array) => {
        const sql = "SELECT 1 FROM secret_key WHERE hash = ?";
        return database.prepare(sql).get(hash) !== undefined;
      }),
    });
  };
  return withDatabase(file, examine, () => {
    const database = openToRead(file, timeout);
    refuseReadOnly(file);
    return database;
  });
}
