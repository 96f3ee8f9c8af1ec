import { accessSync, constants, existsSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import Sqlite from "better-sqlite3";
import { databaseFailure } from "./database-failure.ts";
import { migrations } from "./migrations.ts";
import { checkFile, loadAddon, logSize, stepsBehind, type Database } from "./open.ts";

/** How many steps a database of this version has behind it. */
export const newestVersion = migrations.length;

/** A database that is only looked at: nothing of it, and nothing beside it, is made or changed. */
interface Examined {
  /** How many steps it lacks. @throws Failure "database" where it is not ours, newer, or cut short */
  readonly stepsBehind: () => number;
  /** What SQLite finds wrong in it; undefined where it is too large to look through in a few seconds. */
  readonly faults: () => readonly string[] | undefined;
  /** Whether it has issued the key with this hash. */
  readonly knowsKey: (hash: Uint8Array) => boolean;
  readonly close: () => void;
}

/** Why better-sqlite3 can't be loaded; undefined where it can. */
export function addonProblem(): string | undefined {
  try {
    loadAddon();
    return undefined;
  } catch (error) {
    const { cause } = error as Error;
    const [line = ""] = (cause instanceof Error ? cause.message : String(error)).split("\n");
    return line;
  }
}

/** In bytes: what is larger is not read into memory as a whole. */
const largestImage = 256 * 1024 * 1024;

/** In bytes: up to here every index is compared with its table, up to there every page is read. */
const largestCompared = 32 * 1024 * 1024;
const largestRead = 1024 * 1024 * 1024;

/**
 * Opens a database to look at it, while others may use it. Where nobody does, what is looked at is an
 * image of it in memory: SQLite would make two files beside it, even for who only reads.
 *
 * @param patience how long to wait for others, in milliseconds
 * @returns undefined where it can't be looked at without a file being made
 * @throws Failure "database" where it can't be opened
 */
export function examineDatabase(file: string, patience: number): Examined | undefined {
  const nativeBinding = loadAddon();
  try {
    checkFile(file);
    // The write-ahead log is made beside it.
    accessSync(dirname(file), constants.W_OK | constants.X_OK);
    const { size } = statSync(file);
    const isShared = existsSync(`${file}-wal`) && existsSync(`${file}-shm`);
    if (isShared) {
      const options = { readonly: true, fileMustExist: true, timeout: patience, nativeBinding };
      return examined(new Sqlite(file, options as object), file, size + logSize(file));
    }
    if (logSize(file) > 0 || size > largestImage) return undefined;
    const image = imageOf(file);
    // Somebody has begun to use it meanwhile: what was read may be of two states.
    if (logSize(file) > 0) return examineDatabase(file, patience);
    // An empty file is what a database is before its first step.
    const source = image.length === 0 ? ":memory:" : image;
    const database = new Sqlite(source, { nativeBinding } as object);
    return examined(database, file, size);
  } catch (error) {
    throw databaseFailure(error, file);
  }
}

/** The file, marked as one without a write-ahead log: there is none in memory. */
function imageOf(file: string): Buffer {
  const image = readFileSync(file);
  const [writing, reading] = [18, 19];
  if (image[writing] === 2) image[writing] = 1;
  if (image[reading] === 2) image[reading] = 1;
  return image;
}

function examined(database: Database, file: string, size: number): Examined {
  const telling = <Result>(body: () => Result): Result => {
    try {
      return body();
    } catch (error) {
      throw databaseFailure(error, file);
    }
  };
  return {
    stepsBehind: () =>
      telling(() => database.transaction(() => stepsBehind(database, file)).deferred()),
    faults: () => telling(() => (size > largestRead ? undefined : faultsOf(database, size))),
    knowsKey: (hash) =>
      telling(
        () => database.prepare("SELECT 1 FROM secret_key WHERE hash = ?").get(hash) !== undefined,
      ),
    close: () => database.close(),
  };
}

function faultsOf(database: Database, size: number): string[] {
  const check = size > largestCompared ? "quick_check" : "integrity_check";
  const rows = database.prepare<[]>(`PRAGMA ${check}`).pluck().all().map(String);
  const orphans = database.prepare<[]>("PRAGMA foreign_key_check").all() as { table: string }[];
  return [
    ...rows.filter((row) => row !== "ok"),
    ...orphans.map(({ table }) => `a row of ${table} refers to one that is gone`),
  ];
}
