import type Sqlite from "better-sqlite3";
import SqliteDriver from "better-sqlite3-driver";
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  realpathSync,
  statSync,
  readFileSync,
} from "node:fs";
import { dirname, join, toNamespacedPath } from "node:path";
import { makeFolder } from "../../core/files.ts";
import { elapsed } from "../../core/time.ts";
import {
  codeOf,
  databaseError,
  identify,
  isFolder,
  type Meaning,
  nameAnother,
  noteOpen,
  notDatabase,
  refuseReplaced,
  unusable,
} from "./database-error.ts";
import { logSize, migrate, migrations, stepsBehind } from "./schema.ts";
import { arch, dlopen, getBuiltinModule, platform, versions } from "node:process";
import { SendctlError } from "../../core/error.ts";

// The addon has to fit this process, whichever runtime the program was given.

type Addon = Readonly<Record<string, unknown>>;

const compiled = "build/Release/better_sqlite3.node";

/** Compiled or downloaded on installation. From Node 24.19 on, it can abort the process. */
const driver12 = {
  packageName: "better-sqlite3",
  installCommand: "npm install -g better-sqlite3@12.11.1",
  files: [compiled],
  /** Gives the addon the interface of version 13. */
  adapt: ({ Database, setErrorConstructor: initialize }: Addon) => ({ Database, initialize }),
};

/** Contains one binary per platform for all versions of Node from 22 on. It crashes Node 20. */
const driver13 = {
  packageName: "better-sqlite3-13",
  installCommand: "npm install -g better-sqlite3-13@npm:better-sqlite3@13.2.0",
  files: [`prebuilds/${isMusl() ? "linuxmusl" : platform}-${arch}.node`, compiled],
  adapt: (addon: Addon): object => addon,
};

/**
 * The version of better-sqlite3 whose addon this process can load, with the paths of the addon in
 * the order of preference: see docs/decisions/0019-two-versions-of-better-sqlite3.md. The
 * JavaScript of version 13 is part of the bundle and drives both addons.
 */
export const driver = Number.parseInt(versions.node, 10) >= 22 ? driver13 : driver12;

/** Loads the addon in a single executable (`executable/addon.js`); undefined elsewhere. */
export const loadIncluded = (globalThis as { [key: symbol]: unknown })[
  Symbol.for("sendctl.addon")
] as (() => Addon) | undefined;

/** Returns whether the C library of this process is musl. Examines only systems with musl. */
function isMusl(): boolean {
  if (platform !== "linux") return false;
  const loader = `/lib/ld-musl-${arch === "x64" ? "x86_64" : "aarch64"}.so.1`;
  return existsSync(loader) && readFileSync("/proc/self/maps", "latin1").includes("/ld-musl-");
}

/**
 * Returns the absolute path of the addon.
 *
 * @throws the error of Node if the package is not installed
 */
export function findAddon(): string {
  // The full path: searching for the addon, as better-sqlite3 does, costs a millisecond.
  const { createRequire } = getBuiltinModule("node:module");
  const resolve = createRequire(import.meta.url).resolve;
  const folder = dirname(resolve(`${driver.packageName}/package.json`));
  const files = driver.files.map((file) => join(folder, file));
  return files.find((file) => existsSync(file)) ?? files[0]!;
}

let loaded: object | undefined;

/** Loads the native part of better-sqlite3. @throws SendctlError "database" with the reason */
export function loadAddon(): object {
  try {
    return (loaded ??= driver.adapt(loadIncluded?.() ?? loadInstalled()));
  } catch (error) {
    const reason = `the better-sqlite3 addon, which the embedded engine needs, cannot be loaded: ${reasonOf(error)}`;
    throw new SendctlError("database", reason, {
      hint: hintOf(error),
      database: "addon",
      cause: error,
    });
  }
}

function loadInstalled(): Addon {
  const addon: { exports: Addon } = { exports: {} };
  dlopen(addon, toNamespacedPath(findAddon()));
  return addon.exports;
}

/** A missing addon has to be installed; a broken one is replaced by a reinstallation. */
function hintOf(error: unknown): string {
  if (loadIncluded !== undefined) {
    return "set TMPDIR to a folder that you can write to and that is not mounted with noexec";
  }
  const { code = "" } = error as NodeJS.ErrnoException;
  if (code !== "MODULE_NOT_FOUND" && driver === driver12 && !existsSync(findAddon())) {
    return "its install script did not run: allow it with `npm rebuild better-sqlite3 --ignore-scripts=false` (-g for a global sendctl), or `pnpm approve-builds`";
  }
  const isMissing = ["MODULE_NOT_FOUND", "ENOENT"].includes(code);
  return isMissing
    ? `run \`${driver.installCommand}\`, without -g if sendctl is installed in a project`
    : `reinstall sendctl, or run \`${driver.installCommand}\``;
}

/** Returns the reason on one line. */
function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "MODULE_NOT_FOUND") return `${driver.packageName} is not installed`;
  if (message.includes("NODE_MODULE_VERSION")) return "it was built for another version of Node";
  return message.split("\n", 1)[0]!;
}

export type Database = Sqlite.Database;
export type Statement<Values extends unknown[]> = Sqlite.Statement<Values>;

const readOnly: Meaning = ["access", "is read-only", "make the file writable, or use another"];

/** How long to wait for locks of other processes, in milliseconds. */
const defaultTimeout = 10_000;

/** Opens a connection. @param source a path, or a database's content @throws SQLite's error */
export function connect(source: string | Buffer, options: Sqlite.Options = {}): Database {
  // Before it is opened: if it is replaced meanwhile, the connection is refused.
  const identity = typeof source === "string" ? identify(source) : undefined;
  const given = { timeout: defaultTimeout, ...options, nativeBinding: loadAddon() };
  const database = new SqliteDriver(source, given as object);
  noteOpen(database, database.name, identity);
  return database;
}

/**
 * Opens the database at `file`, an absolute path, and applies pending migrations. Creates a missing
 * database and the folders of its path, accessible only to their owner. Any number of processes may
 * do so at once. A file that may not be written is opened to read.
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
    database = openToRead(file, timeout);
    const behind = stepsBehind(database, file, steps);
    if (!isWritable(file)) {
      if (behind > 0) throw unusable(file, readOnly);
      return database;
    }
    if (database.readonly) {
      // It has a log, which a refused file keeps: closing the last writable connection empties it.
      database.close();
      database = connect(file, { timeout, fileMustExist: true });
    }
    migrate(database, file, steps);
    useWriteAheadLog(database, timeout);
    database.pragma("synchronous = FULL");
    // On macOS, a plain flush leaves the data in the memory of the drive. No effect elsewhere.
    database.pragma("fullfsync = ON");
    database.pragma("foreign_keys = ON");
    // SQLite creates the log and its index at the first read, not when the mode is set.
    database.pragma("user_version");
    const real = realpathSync(file);
    for (const path of [`${real}-wal`, `${real}-shm`]) noteOpen(database, path, identify(path));
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
 * Opens a database to read it, whatever its version. The file does not change: a leftover log stays
 * beside it, because only a connection that can write applies the log when it is closed.
 *
 * @throws SendctlError "database", or the error of SQLite or of the file system
 */
export function openToRead(file: string, timeout = defaultTimeout): Database {
  checkFile(file);
  // Without a log, a writable connection also removes the files that readers make SQLite create.
  const readonly = logSize(file) > 0 || !isWritable(file);
  return connect(file, { readonly, fileMustExist: true, timeout });
}

/** Opens an empty database in memory. */
export function openMemory(steps = migrations): Database {
  const database = connect(":memory:");
  migrate(database, ":memory:", steps);
  database.pragma("foreign_keys = ON");
  return database;
}

/**
 * Runs `use` on a database, and closes it. SQLite's errors become a SendctlError with the file.
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

/** Creates the file if it is missing. SQLite would create it readable by everyone. */
function createFile(file: string): void {
  checkName(file);
  // Looked up twice: another process may create both meanwhile, the file first.
  if (isEmptyFile(file) && existsSync(`${file}-wal`) && isEmptyFile(file)) {
    // With a new file, SQLite would delete what only the log of a database that was moved has.
    const message = `is missing, but its write-ahead log ${file}-wal is not`;
    const hint = "move the database back, or move the files that end in -wal and -shm away";
    throw unusable(file, ["missing", message, hint]);
  }
  if (existsSync(file)) return;
  makeFolder(dirname(file));
  // Only a missing file: closing one that SQLite has open here would release all its locks.
  closeSync(openSync(file, "a", 0o600));
}

/** Returns whether a file is missing or empty. Anything else, such as a device, is neither. */
export function isEmptyFile(file: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined || (found.isFile() && found.size === 0);
}

/** Rejects a name that better-sqlite3 would trim, which makes it the name of another file. */
export function checkName(file: string): void {
  if (file === file.trim()) return;
  throw unusable(file, ["access", "has a name that begins or ends with white space", nameAnother]);
}

/** Rejects a path that cannot be a database. @throws SendctlError "database", or a system error */
function checkFile(file: string): void {
  checkName(file);
  const found = statSync(file);
  if (found.isDirectory()) throw unusable(file, isFolder);
  // The smallest page size of SQLite is 512 bytes. No database file is shorter.
  if (!found.isFile() || (found.size > 0 && found.size < 512)) throw unusable(file, notDatabase);
}

/** Returns whether a file may be written. A read-only one is so on purpose, even for root. */
function isWritable(file: string): boolean {
  try {
    accessSync(file, constants.W_OK);
    return (statSync(file).mode & 0o222) !== 0;
  } catch {
    return false;
  }
}

/** @throws SendctlError "database" for a file that can only be read */
export function refuseReadOnly(file: string): void {
  if (!isWritable(file)) throw unusable(file, readOnly);
}

/**
 * Switches to write-ahead mode. On a new file SQLite can report BUSY without waiting when many
 * processes start at once, so this retries until the timeout.
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
