import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  statSync,
} from "node:fs";
import { dirname } from "node:path";
import type Sqlite from "better-sqlite3";
import { loadAddon } from "./addon.ts";
import { connect } from "./connect.ts";
import {
  damaged,
  databaseError,
  isFolder,
  notDatabase,
  unusable,
  type Meaning,
} from "./database-error.ts";
import { migrations } from "./migrations.ts";
import { watchLog } from "./open-file.ts";

export type Database = Sqlite.Database;
export type Statement<Values extends unknown[]> = Sqlite.Statement<Values>;

/** "SCTL": tells a database of ours from every other program's. */
export const applicationId = 0x5343_544c;

/** How long to wait for other processes, in milliseconds. */
export const defaultWait = 10_000;

/** The smallest page that SQLite knows, in bytes: no database is shorter. */
export const smallestPage = 512;

/**
 * Opens the database at `file`, an absolute path, and brings it up to date; creates it, and the folders
 * that lead to it, readable by their owner only, where there is none. Any number of processes may do so
 * at once.
 *
 * @param timeout how long to wait for the others, in milliseconds
 * @param creates false for a file that exists: it is not created again once it was removed
 * @throws SendctlError "database" when the file can't be used; then it is as it was before.
 */
export function openDatabase(
  file: string,
  timeout: number = defaultWait,
  creates = true,
): Database {
  // Before there is a file that nobody could use.
  loadAddon();
  let database: Database | undefined;
  const open = (readonly: boolean): Database =>
    connect(file, { timeout, readonly, fileMustExist: true });
  try {
    if (creates) makeFile(file);
    else checkFile(file);
    if (logSize(file) > 0) {
      // Who leaves last writes the log into the file. A file that is refused is not to be written.
      const reader = open(true);
      try {
        reader.transaction(() => stepsBehind(reader, file)).deferred();
      } finally {
        reader.close();
      }
    }
    const opened = (database = open(false));
    const behind = opened.transaction(() => stepsBehind(opened, file)).deferred();
    if (behind > 0) migrate(database, file);
    useWriteAheadLog(database, timeout);
    database.pragma("synchronous = FULL");
    database.pragma("foreign_keys = ON");
    watchLog(database, file);
    return database;
  } catch (error) {
    const failure = databaseError(error, file, database);
    database?.close();
    throw failure;
  }
}

/** Opens an empty database in memory, for reads where there is no file. Nothing is written to the disk. */
export function openEmptyDatabase(): Database {
  const database = connect(":memory:");
  migrate(database, ":memory:");
  database.pragma("foreign_keys = ON");
  return database;
}

/** Made here where it is missing: SQLite would make it for everyone to read. */
function makeFile(file: string): void {
  checkName(file);
  if (!existsSync(file)) {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    closeSync(openSync(file, "a", 0o600));
  }
  checkFile(file);
}

/** @throws SendctlError "database" for a name that better-sqlite3 would take for another file's */
export function checkName(file: string): void {
  if (file === file.trim()) return;
  const message = "has a name that begins or ends with white space";
  throw unusable(file, ["access", message, "name another file"]);
}

/** @throws SendctlError "database", or the file system's error, for a file that no database can be in */
export function checkFile(file: string): void {
  checkName(file);
  const found = statSync(file);
  if (found.isDirectory()) throw unusable(file, isFolder);
  if (!found.isFile()) throw unusable(file, notDatabase);
  // Root may write what is marked read-only; the mark means something all the same.
  if ((found.mode & 0o222) === 0) throw unusable(file, readOnly);
  accessSync(file, constants.R_OK | constants.W_OK);
  if (found.size > 0 && found.size < smallestPage) throw unusable(file, notDatabase);
}

const readOnly: Meaning = ["access", "is read-only", "make the file writable, or name another"];

/** Size in bytes of the write-ahead log beside the file. */
export function logSize(file: string): number {
  return statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

/**
 * How many migrations the file lacks, if it is one of ours and whole. In a transaction, so that what is
 * read belongs together.
 */
export function stepsBehind(database: Database, file: string): number {
  const version = pragma(database, "user_version");
  const owner = pragma(database, "application_id");
  const isEmpty = version === 0 && owner === 0 && pragma(database, "schema_version") === 0;
  if (owner !== applicationId && !isEmpty) {
    throw unusable(file, ["foreign", "belongs to another program", "name another file"]);
  }
  // The first step sets the version together with the owner.
  if (version < 0 || (version === 0 && !isEmpty)) throw unusable(file, damaged);
  if (version > migrations.length) {
    const hint = "update sendctl, or name another file";
    throw unusable(file, ["newer", "was written by a newer sendctl", hint]);
  }
  // SQLite takes a last page that is cut short for one that ends in zeros. While there is a log, the
  // pages may be there.
  const whole = pragma(database, "page_count") * pragma(database, "page_size");
  if (!isEmpty && statSync(file).size < whole && logSize(file) === 0) {
    throw unusable(file, damaged);
  }
  return migrations.length - version;
}

function pragma(database: Database, name: string): number {
  return database.pragma(name, { simple: true }) as number;
}

/** Under a write lock, and looking again inside it: another process may have been faster. */
export function migrate(database: Database, file: string): void {
  database
    .transaction(() => {
      const behind = stepsBehind(database, file);
      if (behind === 0) return;
      for (const step of migrations.slice(-behind)) database.exec(step);
      database.pragma(`application_id = ${applicationId}`);
      database.pragma(`user_version = ${migrations.length}`);
    })
    .immediate();
}

/** On a new file this can answer BUSY whatever the time allowed, when many processes start at once. */
function useWriteAheadLog(database: Database, timeout: number): void {
  if (database.pragma("journal_mode", { simple: true }) === "wal") return;
  const deadline = performance.now() + timeout;
  for (;;) {
    try {
      database.pragma("journal_mode = WAL");
      return;
    } catch (error) {
      const isBusy = (error as { code?: unknown }).code === "SQLITE_BUSY";
      if (!isBusy || performance.now() > deadline) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5 + Math.random() * 20);
    }
  }
}
