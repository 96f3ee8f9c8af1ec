import { realpathSync, statSync } from "node:fs";
import type { Database } from "better-sqlite3";
import { SendctlError } from "../../../core/error.ts";

/** Identifies a file regardless of its name. On Windows, the numbers exceed what a double holds exactly. */
interface Identity {
  readonly dev: bigint;
  readonly ino: bigint;
}

/**
 * The files that a connection has open. They are compared by identity, because the name of a
 * removed file can be reused.
 */
interface OpenFiles {
  readonly database: Identity;
  /** The write-ahead log and its index, by path, once `watchLog` has found them. */
  readonly logFiles: Map<string, Identity>;
}

const opened = new WeakMap<Database, OpenFiles>();

/** Number of connections of this process to each file. */
const connectionCounts = new Map<string, number>();

/** Returns undefined if the file does not exist or cannot be looked up. */
export function identify(path: string): Identity | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false, bigint: true });
  } catch {
    return undefined;
  }
}

/** Returns whether two lookups found the same file. */
export function isSame(one: Identity | undefined, other: Identity | undefined): boolean {
  return one?.ino === other?.ino && one?.dev === other?.dev;
}

/** Returns whether a connection of this process has the file open. */
export function isOpenInProcess(file: string): boolean {
  const found = identify(file);
  return found !== undefined && connectionCounts.has(keyOf(found));
}

/** Records which file a connection has open, until the connection is closed. */
export function remember(database: Database, identity: Identity): void {
  const key = keyOf(identity);
  opened.set(database, { database: identity, logFiles: new Map() });
  connectionCounts.set(key, (connectionCounts.get(key) ?? 0) + 1);
  const close = database.close.bind(database);
  database.close = () => {
    const closed = close();
    if (opened.delete(database)) {
      const count = connectionCounts.get(key)! - 1;
      if (count === 0) connectionCounts.delete(key);
      else connectionCounts.set(key, count);
    }
    return closed;
  };
}

function keyOf({ dev, ino }: Identity): string {
  return `${dev}:${ino}`;
}

/** Records the files that SQLite creates beside a database while it is open in write-ahead mode. */
export function watchLog(database: Database, file: string): void {
  const files = opened.get(database);
  if (files === undefined) return;
  // SQLite creates the log at the first read, not when the mode is set.
  database.pragma("user_version");
  const real = realpathSync(file);
  for (const ending of ["-wal", "-shm"]) {
    const path = `${real}${ending}`;
    const found = identify(path);
    if (found !== undefined) files.logFiles.set(path, found);
  }
}

/**
 * Checks that the path of an open database still leads to the open file: SQLite keeps writing to a
 * removed file, and all of those writes are lost.
 *
 * @param checksLog whether to check the write-ahead log and its index as well, which costs two more
 *   system calls
 * @throws SendctlError "database" if the file or its log was removed or replaced
 */
export function refuseReplaced(database: Database, file: string, checksLog: boolean): void {
  const files = opened.get(database);
  if (files === undefined) return;
  const found = identify(file);
  if (!isSame(found, files.database)) throw replaced(file, file, found);
  if (!checksLog) return;
  for (const [path, identity] of files.logFiles) {
    const found = identify(path);
    if (!isSame(found, identity)) throw replaced(file, path, found);
  }
}

function replaced(file: string, lost: string, found: Identity | undefined): SendctlError {
  const what = found === undefined ? "removed" : "replaced";
  const which = lost === file ? "was" : `cannot be written: ${lost} was`;
  return new SendctlError("database", `the database ${file} ${which} ${what} while it was open`, {
    hint: "move the file back, or restart every sendctl process that has it open",
    file,
    database: "replaced",
  });
}
