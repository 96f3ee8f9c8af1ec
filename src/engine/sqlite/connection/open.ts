import { elapsed } from "../../../core/time.ts";
import { makeFolder } from "../../../core/files.ts";
import { loadAddon } from "./driver.ts";
import { connect, defaultTimeout, refuseReplaced, watchLog } from "./connect.ts";
import {
  codeOf,
  damaged,
  databaseError,
  isFolder,
  notDatabase,
  unusable,
} from "./database-error.ts";
import { migrations } from "./migrations.ts";
import { accessSync, closeSync, constants, existsSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type Sqlite from "better-sqlite3";

export type Database = Sqlite.Database;
export type Statement<Values extends unknown[]> = Sqlite.Statement<Values>;

/** "SCTL" in ASCII: distinguishes databases of sendctl from those of other programs. */
const applicationId = 0x5343_544c;

/** The smallest page size of SQLite, in bytes. No database file is shorter. */
const minPageBytes = 512;

/**
 * Opens the database at `file`, an absolute path, and applies pending migrations. Creates a missing database and the folders of
 * its path, accessible only to their owner. Any number of processes may do so at once. A file that may not be written is opened
 * to read.
 *
 * @param timeout how long to wait for other processes, in milliseconds
 * @param steps all migrations
 * @throws SendctlError "database" if the file cannot be used; the file is then unchanged
 */
export function openDatabase(file: string, timeout = defaultTimeout, steps = migrations): Database {
  // Load it before creating a file, which would be useless without it.
  loadAddon();
  let database: Database | undefined;
  try {
    createFile(file);
    if (!isWritable(file) || logSize(file) > 0) {
      // Closing the last connection writes the log into the file, and a file that is refused must not change.
      const reader = connect(file, { timeout, readonly: true, fileMustExist: true });
      database = reader;
      const behind = stepsBehind(reader, file, steps);
      if (!isWritable(file)) {
        if (behind > 0) throw unusable(file, readOnly);
        return reader;
      }
      reader.close();
    }
    database = connect(file, { timeout, fileMustExist: true });
    if (stepsBehind(database, file, steps) > 0) migrate(database, file, steps);
    useWriteAheadLog(database, timeout);
    database.pragma("synchronous = FULL");
    // On macOS, a plain flush leaves the data in the memory of the drive. No effect elsewhere.
    database.pragma("fullfsync = ON");
    database.pragma("foreign_keys = ON");
    watchLog(database, file);
    // A restore may have replaced the file while this waited for its lock.
    refuseReplaced(database, file);
    return database;
  } catch (error) {
    const failure = databaseError(error, file, database);
    database?.close();
    throw failure;
  }
}

/**
 * Opens a database to read it, whatever its version. The file does not change: a leftover log stays beside it, because only a
 * connection that can write applies the log when it is closed.
 *
 * @throws SendctlError "database", or the error of SQLite or of the file system
 */
export function openToRead(file: string, timeout = defaultTimeout): Database {
  checkFile(file);
  // Without a log, a connection that can write also removes the files that SQLite creates even for a reader.
  const readonly = logSize(file) > 0 || !isWritable(file);
  return connect(file, { readonly, fileMustExist: true, timeout });
}

/**
 * Runs `use` on a database, and closes it. Errors of SQLite become a SendctlError with the name of the file.
 *
 * @param open (default: opens the file as it is opened for a command that writes)
 */
export async function withDatabase<Result>(
  file: string,
  use: (database: Database) => Promise<Result> | Result,
  open: () => Database = () => openDatabase(file),
): Promise<Result> {
  let database: Database | undefined;
  try {
    database = open();
    return await use(database);
  } catch (error) {
    throw databaseError(error, file, database);
  } finally {
    database?.close();
  }
}

/** Opens an empty database in memory. */
export function openMemory(): Database {
  const database = connect(":memory:");
  migrate(database, ":memory:");
  database.pragma("foreign_keys = ON");
  return database;
}

/** Creates the file if it is missing. SQLite would create it readable by everyone. */
function createFile(file: string): void {
  checkName(file);
  refuseOrphanedLog(file);
  if (!existsSync(file)) {
    makeFolder(dirname(file));
    // Only a missing file: closing one that this process has open through SQLite would release all its locks.
    closeSync(openSync(file, "a", 0o600));
  }
  checkFile(file);
}

/**
 * Keeps the log of a database that was moved: with a new file, SQLite would delete what only the log has.
 *
 * @throws SendctlError "database" if there is one
 */
function refuseOrphanedLog(file: string): void {
  const isMissing = (): boolean => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0;
  // Another process may create both meanwhile, the file first.
  if (!isMissing() || !existsSync(`${file}-wal`) || !isMissing()) return;
  const message = `is missing, but its write-ahead log ${file}-wal is not`;
  const hint = "move the database back, or move the files that end in -wal and -shm away";
  throw unusable(file, ["missing", message, hint]);
}

/**
 * Rejects a name that better-sqlite3 would trim, which makes it the name of another file.
 *
 * @throws SendctlError "database"
 */
export function checkName(file: string): void {
  if (file === file.trim()) return;
  const message = "has a name that begins or ends with white space";
  throw unusable(file, ["access", message, "use another file"]);
}

/**
 * Rejects a path that cannot be a database file.
 *
 * @throws SendctlError "database", or the error of the file system
 */
function checkFile(file: string): void {
  checkName(file);
  const found = statSync(file);
  if (found.isDirectory()) throw unusable(file, isFolder);
  if (!found.isFile()) throw unusable(file, notDatabase);
  accessSync(file, constants.R_OK);
  if (found.size > 0 && found.size < minPageBytes) throw unusable(file, notDatabase);
}

/** Returns whether a file may be written. Root may write to a read-only file, but its owner has marked it on purpose. */
function isWritable(file: string): boolean {
  try {
    accessSync(file, constants.W_OK);
    return (statSync(file).mode & 0o222) !== 0;
  } catch {
    return false;
  }
}

const readOnly = ["access", "is read-only", "make the file writable, or use another"] as const;

/** @throws SendctlError "database" for a file that can only be read */
export function refuseReadOnly(file: string): void {
  if (!isWritable(file)) throw unusable(file, readOnly);
}

/** Returns the size of the write-ahead log beside the file, in bytes. */
export function logSize(file: string): number {
  return statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

/** Returns whether a migration has run. An empty file has no tables. */
export function hasTables(database: Database): boolean {
  return pragma(database, "user_version") !== 0;
}

/**
 * Returns the number of migrations that the file lacks.
 *
 * @throws SendctlError "database" if the file is damaged, foreign or newer
 */
export function stepsBehind(database: Database, file: string, steps = migrations): number {
  // In a transaction, so that all values come from the same snapshot.
  return database
    .transaction(() => {
      const version = pragma(database, "user_version");
      const owner = pragma(database, "application_id");
      const isEmpty = version === 0 && owner === 0 && pragma(database, "schema_version") === 0;
      if (owner !== applicationId && !isEmpty) {
        throw unusable(file, ["foreign", "belongs to another program", "use another file"]);
      }
      // The first migration sets the version and the owner together.
      if (version < 0 || (version === 0 && !isEmpty)) throw unusable(file, damaged);
      if (version > steps.length) {
        const hint = "update sendctl, or use another file";
        throw unusable(file, ["newer", "was written by a newer sendctl", hint]);
      }
      // SQLite treats a truncated last page as if it ended in zeros. While a log exists, it may contain
      // the missing pages.
      const expectedBytes = pragma(database, "page_count") * pragma(database, "page_size");
      if (!isEmpty && statSync(file).size < expectedBytes && logSize(file) === 0) {
        throw unusable(file, damaged);
      }
      return steps.length - version;
    })
    .deferred();
}

function pragma(database: Database, name: string): number {
  return database.pragma(name, { simple: true }) as number;
}

/**
 * Applies pending migrations under a write lock. Counts them again inside it, because another process may have applied them.
 */
export function migrate(database: Database, file: string, steps = migrations): void {
  database
    .transaction(() => {
      const behind = stepsBehind(database, file, steps);
      if (behind === 0) return;
      for (const migration of steps.slice(-behind)) database.exec(migration);
      database.pragma(`application_id = ${applicationId}`);
      database.pragma(`user_version = ${steps.length}`);
    })
    .immediate();
}

/**
 * Switches to write-ahead mode. On a new file SQLite can report BUSY without waiting when many processes start at once, so this
 * retries until the timeout.
 */
function useWriteAheadLog(database: Database, timeout: number): void {
  if (database.pragma("journal_mode", { simple: true }) === "wal") return;
  const deadline = elapsed() + timeout;
  for (;;) {
    try {
      database.pragma("journal_mode = WAL");
      return;
    } catch (error) {
      if (codeOf(error) !== "SQLITE_BUSY" || elapsed() > deadline) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5 + Math.random() * 20);
    }
  }
}
