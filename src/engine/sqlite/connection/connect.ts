import type { Database, Options } from "better-sqlite3";
import Sqlite from "better-sqlite3-driver";
import { loadAddon } from "./addon.ts";
import { refuseForeignLog } from "./log-origin.ts";
import { identify, isSame, remember } from "./open-file.ts";

/**
 * Opens a connection.
 *
 * @throws the error of SQLite; SendctlError "database" if the log beside the file belongs to
 *   another database
 */
export function connect(source: string | Buffer, options: Options = {}): Database {
  if (typeof source !== "string" || source === ":memory:") return open(source, options);
  refuseForeignLog(source);
  const before = identify(source);
  const database = open(source, options);
  const identity = identify(source);
  // The open file is known for certain only if the path led to the same file before and after.
  if (identity === undefined || (before !== undefined && !isSame(before, identity))) {
    database.close();
    return connect(source, options);
  }
  remember(database, identity);
  return database;
}

function open(source: string | Buffer, options: Options): Database {
  return new Sqlite(source, { ...options, nativeBinding: loadAddon() } as object);
}
