import { statSync } from "node:fs";
import { SendctlError } from "../../../contract/error.ts";
import { databaseError } from "../connection/database-error.ts";
import { faultsOf, integrityChecks, quickChecks } from "./integrity.ts";
import { lookAt } from "./look.ts";
import { migrations } from "../connection/migrations.ts";
import { loadAddon } from "../connection/addon.ts";
import { logSize, stepsBehind, type Database } from "../connection/open.ts";

/** How many steps a database of this version has behind it. */
export const newestVersion = migrations.length;

/** A database that is only looked at: nothing of it, and nothing beside it, is made or changed. */
interface Examined {
  /** How many steps it lacks. @throws SendctlError "database" where it is not ours, newer, or cut short */
  readonly stepsBehind: () => number;
  /** What SQLite finds wrong in it; undefined where it is too large to look through in a few seconds. */
  readonly faults: () => readonly string[] | undefined;
  /** Whether it has issued the key with this hash. */
  readonly knowsKey: (hash: Uint8Array) => boolean;
  readonly close: () => void;
}

/** Returns why better-sqlite3 cannot be loaded; undefined where it can. */
export function addonProblem(): SendctlError | undefined {
  try {
    loadAddon();
    return undefined;
  } catch (error) {
    if (error instanceof SendctlError) return error;
    throw error;
  }
}

/** In bytes: up to here every index is compared with its table, up to there every page is read. */
const largestCompared = 32 * 1024 * 1024;
const largestRead = 1024 * 1024 * 1024;

/**
 * Opens a database to look at it, while others may use it. Where nobody does, what is looked at is an
 * image of it in memory: SQLite would make two files beside it, even for who only reads.
 *
 * @param timeout how long to wait for others, in milliseconds
 * @returns undefined where it can't be looked at without a file being made
 * @throws SendctlError "database" where it can't be opened
 */
export function examineDatabase(file: string, timeout: number): Examined | undefined {
  try {
    const look = lookAt(file, timeout);
    return look && examined(look.database, file, statSync(file).size + logSize(file));
  } catch (error) {
    throw databaseError(error, file);
  }
}

function examined(database: Database, file: string, size: number): Examined {
  const telling = <Result>(body: () => Result): Result => {
    try {
      return body();
    } catch (error) {
      throw databaseError(error, file, database);
    }
  };
  return {
    stepsBehind: () =>
      telling(() => database.transaction(() => stepsBehind(database, file)).deferred()),
    faults: () =>
      telling(() => {
        if (size > largestRead) return undefined;
        const checks = size > largestCompared ? quickChecks : integrityChecks;
        return faultsOf(database, checks).first.map(({ detail }) => detail);
      }),
    knowsKey: (hash) =>
      telling(
        () => database.prepare("SELECT 1 FROM secret_key WHERE hash = ?").get(hash) !== undefined,
      ),
    close: () => database.close(),
  };
}
