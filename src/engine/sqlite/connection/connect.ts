import Sqlite from "better-sqlite3";
import { loadAddon } from "./addon.ts";
import { refuseForeignLog } from "./log-origin.ts";
import { identify, isSame, remember } from "./open-file.ts";

type Native = Record<string, unknown>;

/**
 * Every object that the addon created. From Node 24.19 on, garbage-collecting one of them can abort
 * the process, because the better-sqlite3 version that supports Node 20 assumes that a V8 context
 * is entered at that point. So none is released; a connection has a few dozen, and each is small.
 */
const retained: unknown[] = [];

/**
 * Opens a connection.
 *
 * @throws the error of SQLite; SendctlError "database" if the log beside the file belongs to
 *   another database
 */
export function connect(source: string | Buffer, options: Sqlite.Options = {}): Sqlite.Database {
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

function open(source: string | Buffer, options: Sqlite.Options): Sqlite.Database {
  const nativeBinding = loadAddon();
  const database = new Sqlite(source, { ...options, nativeBinding } as object);
  for (const symbol of Object.getOwnPropertySymbols(database)) {
    const native = (database as unknown as Record<symbol, Native | undefined>)[symbol];
    if (typeof native?.["prepare"] !== "function") continue;
    retained.push(native);
    retainResults(native, "backup");
    retainResults(native, "prepare", (statement) => retainResults(statement, "iterate"));
  }
  return database;
}

function retainResults(
  native: Native,
  method: string,
  onResult: (result: Native) => void = () => {},
): void {
  const call = native[method] as (...values: unknown[]) => Native;
  native[method] = function retaining(this: unknown, ...values: unknown[]) {
    const result = call.apply(this, values);
    retained.push(result);
    onResult(result);
    return result;
  };
}
