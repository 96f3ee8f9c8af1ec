import Sqlite from "better-sqlite3";
import { loadAddon } from "./addon.ts";
import { refuseForeignLog } from "./log-origin.ts";
import { identify, isSame, remember } from "./open-file.ts";

type Native = Record<string, unknown>;

/**
 * Whatever the addon made. From Node 24.19 on, collecting one of its objects may abort the process: the
 * version of better-sqlite3 that runs on Node 20 takes for granted that a context is entered then. So none is
 * given back; a connection has a few dozen, and each is small.
 */
const kept: unknown[] = [];

/** Opens a connection. @throws the error of SQLite; SendctlError "database" for a file with another's log */
export function connect(source: string | Buffer, options: Sqlite.Options = {}): Sqlite.Database {
  if (typeof source !== "string" || source === ":memory:") return open(source, options);
  refuseForeignLog(source);
  const before = identify(source);
  const database = open(source, options);
  const identity = identify(source);
  // Which file is open is known only where the name led to the same one before and after.
  if (identity === undefined || (before !== undefined && !isSame(before, identity))) {
    database.close();
    return connect(source, options);
  }
  remember(database, identity);
  return database;
}

function open(source: string | Buffer, options: Sqlite.Options): Sqlite.Database {
  const nativeBinding = loadAddon();
  const database = new Sqlite(source, { ...options, nativeBinding } as object);
  for (const symbol of Object.getOwnPropertySymbols(database)) {
    const native = (database as unknown as Record<symbol, Native | undefined>)[symbol];
    if (typeof native?.["prepare"] !== "function") continue;
    kept.push(native);
    keepWhatComesOf(native, "backup");
    keepWhatComesOf(native, "prepare", (statement) => keepWhatComesOf(statement, "iterate"));
  }
  return database;
}

function keepWhatComesOf(
  native: Native,
  method: string,
  also: (made: Native) => void = () => {},
): void {
  const make = native[method] as (...values: unknown[]) => Native;
  native[method] = function holding(this: unknown, ...values: unknown[]) {
    const made = make.apply(this, values);
    kept.push(made);
    also(made);
    return made;
  };
}
