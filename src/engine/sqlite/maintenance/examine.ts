import { statSync } from "node:fs";
import { SendctlError } from "../../../core/error.ts";
import { databaseError } from "../connection/database-error.ts";
import { findProblems, integrityChecks, quickChecks } from "./integrity.ts";
import { openReadOnly } from "./read-only.ts";
import { migrations } from "../connection/migrations.ts";
import { loadAddon, loadIncluded } from "../connection/driver.ts";
import { logSize, stepsBehind, type Database } from "../connection/open.ts";

/** The schema version of this release. */
export const newestVersion = migrations.length;

/** Whether the addon is part of a single executable. */
export const isAddonIncluded = loadIncluded !== undefined;

/** A database that is only read. Nothing in it or beside it is created or changed. */
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
  readonly close: () => void;
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

/**
 * Size limits in bytes: above the first, indexes are not compared with their tables; above the
 * second, nothing is checked.
 */
const maxComparedBytes = 32 * 1024 * 1024;
const maxReadBytes = 1024 * 1024 * 1024;

/**
 * Opens a database to examine it, while other processes may use it. If none does, it is read from a
 * copy in memory, because SQLite creates two files beside a database even for a reader.
 *
 * @param timeout how long to wait for other processes, in milliseconds
 * @returns undefined if it cannot be examined without creating a file
 * @throws SendctlError "database" if it cannot be opened
 */
export function examineDatabase(file: string, timeout: number): Examined | undefined {
  try {
    const opened = openReadOnly(file, { timeout });
    return opened && examined(opened.database, file, statSync(file).size + logSize(file));
  } catch (error) {
    throw databaseError(error, file);
  }
}

function examined(database: Database, file: string, size: number): Examined {
  const withDatabaseErrors = <Result>(body: () => Result): Result => {
    try {
      return body();
    } catch (error) {
      throw databaseError(error, file, database);
    }
  };
  return {
    stepsBehind: () => withDatabaseErrors(() => stepsBehind(database, file)),
    problems: () =>
      withDatabaseErrors(() => {
        if (size > maxReadBytes) return undefined;
        const checks = size > maxComparedBytes ? quickChecks : integrityChecks;
        return findProblems(database, checks).first.map(({ detail }) => detail);
      }),
    knowsKey: (hash) =>
      withDatabaseErrors(
        () => database.prepare("SELECT 1 FROM secret_key WHERE hash = ?").get(hash) !== undefined,
      ),
    close: () => database.close(),
  };
}
