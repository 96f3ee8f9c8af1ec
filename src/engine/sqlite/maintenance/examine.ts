import { statSync } from "node:fs";
import { SendctlError } from "../../../core/error.ts";
import { databaseError } from "../connection/database-error.ts";
import { findProblems, quickChecks } from "./integrity.ts";
import { migrations } from "../connection/migrations.ts";
import { loadAddon, loadIncluded } from "../connection/driver.ts";
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

/** Whether the addon is part of a single executable. */
export const isAddonIncluded = loadIncluded !== undefined;

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

/** Returns the error with which better-sqlite3 fails to load; undefined if it loads. */
export function addonProblem(): SendctlError | undefined {
  try {
    loadAddon();
    return undefined;
  } catch (error) {
    if (error instanceof SendctlError) return error;
    throw error;
  }
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
    const withDatabaseErrors = <Found>(body: () => Found): Found => {
      try {
        return body();
      } catch (error) {
        throw databaseError(error, file, database);
      }
    };
    return use({
      stepsBehind: () => withDatabaseErrors(() => stepsBehind(database, file)),
      problems: () =>
        withDatabaseErrors(() => {
          if (statSync(file).size + logSize(file) > maxCheckedBytes) return undefined;
          return findProblems(database, quickChecks).first.map(({ detail }) => detail);
        }),
      knowsKey: (hash) =>
        withDatabaseErrors(
          () => database.prepare("SELECT 1 FROM secret_key WHERE hash = ?").get(hash) !== undefined,
        ),
    });
  };
  return withDatabase(file, examine, () => {
    const database = openToRead(file, timeout);
    refuseReadOnly(file);
    return database;
  });
}
