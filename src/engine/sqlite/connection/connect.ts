import Sqlite from "better-sqlite3-driver";
import type { Database, Options } from "better-sqlite3";
import { loadAddon } from "./driver.ts";
import { realpathSync, statSync } from "node:fs";
import { SendctlError } from "../../../core/error.ts";

/** How long to wait for locks of other processes, in milliseconds. */
export const defaultTimeout = 10_000;

/** Identifies a file regardless of its name. On Windows, the numbers exceed what a double holds exactly. */
interface Identity {
  readonly dev: bigint;
  readonly ino: bigint;
}

/**
 * The files that each connection has open, by path: the database, its write-ahead log and the index of that. They are compared
 * by identity, because the name of a removed file can be reused.
 */
const openFiles = new WeakMap<Database, Map<string, Identity>>();

/** Opens a connection. @param source a path, or the content of a database @throws the error of SQLite */
export function connect(source: string | Buffer, options: Options = {}): Database {
  const given = { timeout: defaultTimeout, ...options, nativeBinding: loadAddon() };
  if (typeof source !== "string" || source === ":memory:")
    return new Sqlite(source, given as object);
  const before = identify(source);
  const database = new Sqlite(source, given as object);
  const identity = identify(source);
  // The open file is known for certain only if the path led to the same file before and after.
  if (identity === undefined || (before !== undefined && !isSame(before, identity))) {
    database.close();
    return connect(source, options);
  }
  openFiles.set(database, new Map([[source, identity]]));
  return database;
}

/** Returns the identity of a file; undefined if it does not exist or cannot be looked up. */
export function identify(path: string): Identity | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false, bigint: true });
  } catch {
    return undefined;
  }
}

/** Returns whether two lookups found the same file. */
export function isSame(left: Identity | undefined, right: Identity | undefined): boolean {
  return left?.ino === right?.ino && left?.dev === right?.dev;
}

/** Notes the files that SQLite has created beside a database in write-ahead mode. */
export function watchLog(database: Database, file: string): void {
  // SQLite creates the log at the first read, not when the mode is set.
  database.pragma("user_version");
  const real = realpathSync(file);
  for (const ending of ["-wal", "-shm"]) {
    const path = `${real}${ending}`;
    const found = identify(path);
    if (found !== undefined) openFiles.get(database)?.set(path, found);
  }
}

/**
 * Checks that the path of an open database still leads to the open file, and its log to the open log: SQLite keeps writing
 * to a removed file, and all of those writes are lost.
 *
 * @throws SendctlError "database" if the file or its log was removed or replaced
 */
export function refuseReplaced(database: Database, file: string): void {
  const change = changeOf(database, file);
  if (change === undefined) return;
  const hint = "move it back, or restart every sendctl process that has the database open";
  throw new SendctlError("database", change, { hint, file, database: "replaced" });
}

/**
 * Checks the same after a commit, which may be lost or not: the log may have been moved into the file before.
 *
 * @throws SendctlError "outcome_unknown"
 */
export function refuseLost(database: Database, file: string): void {
  const change = changeOf(database, file);
  if (change === undefined) return;
  const hint = "list the records before you retry";
  throw new SendctlError("outcome_unknown", `${change}; the write may have succeeded`, { hint });
}

/** Returns what became of the files of an open database; undefined if they are still its files. */
export function changeOf(database: Database, file: string): string | undefined {
  for (const [path, identity] of openFiles.get(database) ?? []) {
    const found = identify(path);
    if (isSame(found, identity)) continue;
    const change = `was ${found === undefined ? "removed" : "replaced"} while it was open`;
    const problem = path === file ? change : `cannot be written: ${path} ${change}`;
    return `the database ${file} ${problem}`;
  }
  return undefined;
}
