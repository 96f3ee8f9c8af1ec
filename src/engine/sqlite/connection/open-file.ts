import { realpathSync, statSync } from "node:fs";
import type { Database } from "better-sqlite3";
import { SendctlError } from "../../../contract/error.ts";

/** A file of the file system, whatever its name. */
interface Identity {
  readonly dev: number;
  readonly ino: number;
}

/** The files that a connection has open. Names of removed files are free again, so these are compared. */
interface OpenFiles {
  readonly database: Identity;
  /** The write-ahead log and its index by path, once `watchLog` has seen them. */
  readonly beside: Map<string, Identity>;
}

const opened = new WeakMap<Database, OpenFiles>();

/** How often each file is open in this process. */
const here = new Map<string, number>();

/** Returns undefined where no file has the name, or it cannot be looked up. */
export function identify(path: string): Identity | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Whether two lookups found the same file. */
export function isSame(one: Identity | undefined, other: Identity | undefined): boolean {
  return one?.ino === other?.ino && one?.dev === other?.dev;
}

/** Whether a connection of this process has the file open. */
export function isOpenHere(file: string): boolean {
  const found = identify(file);
  return found !== undefined && here.has(keyOf(found));
}

/** Remembers which file a connection has open, until the connection is closed. */
export function remember(database: Database, identity: Identity): void {
  const key = keyOf(identity);
  opened.set(database, { database: identity, beside: new Map() });
  here.set(key, (here.get(key) ?? 0) + 1);
  const close = database.close.bind(database);
  database.close = () => {
    const closed = close();
    if (opened.delete(database)) {
      const count = here.get(key)! - 1;
      if (count === 0) here.delete(key);
      else here.set(key, count);
    }
    return closed;
  };
}

function keyOf({ dev, ino }: Identity): string {
  return `${dev}:${ino}`;
}

/** Remembers the files that SQLite keeps beside a database while it is open in write-ahead mode. */
export function watchLog(database: Database, file: string): void {
  const files = opened.get(database);
  if (files === undefined) return;
  // A log is created with the first read, not with the mode.
  database.pragma("user_version");
  const real = realpathSync(file);
  for (const ending of ["-wal", "-shm"]) {
    const path = `${real}${ending}`;
    const found = identify(path);
    if (found !== undefined) files.beside.set(path, found);
  }
}

/**
 * Finds out whether the name of an open database still leads to the open file: SQLite goes on writing to a
 * file that was removed, and all of that is lost.
 *
 * @param checksLog whether to examine the write-ahead log and its index, too: two more system calls
 * @throws SendctlError "database" where the file or its log was removed or replaced
 */
export function refuseReplaced(database: Database, file: string, checksLog: boolean): void {
  const files = opened.get(database);
  if (files === undefined) return;
  const found = identify(file);
  if (!isSame(found, files.database)) throw replaced(file, file, found);
  if (!checksLog) return;
  for (const [path, identity] of files.beside) {
    const found = identify(path);
    if (!isSame(found, identity)) throw replaced(file, path, found);
  }
}

function replaced(file: string, lost: string, found: Identity | undefined): SendctlError {
  const what = found === undefined ? "removed" : "replaced";
  const which = lost === file ? "was" : `cannot be written: ${lost} was`;
  return new SendctlError("database", `the database ${file} ${which} ${what} while it was open`, {
    hint: "put the file back, or restart every sendctl that has it open",
    file,
    database: "replaced",
  });
}
