import { Sqlite } from "../../test/support/sqlite.mjs";

/** Objects of the addon, which must not be garbage-collected: see src/engine/sqlite/connection/connect.ts. */
const retained = [];

/** @param {any} native @param {string} method @param {(result: any) => void} [also] */
function retainResults(native, method, also = () => {}) {
  const original = native[method];
  native[method] = function retaining(...values) {
    const result = original.apply(this, values);
    retained.push(result);
    also(result);
    return result;
  };
}

/** Opens a database without the program. @param {string} file @param {Sqlite.Options} [options] */
export function open(file, options) {
  const database = new Sqlite(file, options);
  for (const symbol of Object.getOwnPropertySymbols(database)) {
    const native = database[symbol];
    if (typeof native?.prepare !== "function") continue;
    retained.push(native);
    retainResults(native, "prepare", (statement) => retainResults(statement, "iterate"));
  }
  return database;
}
