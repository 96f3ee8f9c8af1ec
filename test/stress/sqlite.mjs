import { Sqlite } from "../support/sqlite.mjs";

/** See src/engine/sqlite/connection/connect.ts: what the addon makes is not to be collected. */
const kept = [];

/** @param {any} native @param {string} method @param {(made: any) => void} [also] */
function keepWhatComesOf(native, method, also = () => {}) {
  const make = native[method];
  native[method] = function maintenance(...values) {
    const made = make.apply(this, values);
    kept.push(made);
    also(made);
    return made;
  };
}

/** Opens a database past the program. @param {string} file @param {Sqlite.Options} [options] */
export function open(file, options) {
  const database = new Sqlite(file, options);
  for (const symbol of Object.getOwnPropertySymbols(database)) {
    const native = database[symbol];
    if (typeof native?.prepare !== "function") continue;
    kept.push(native);
    keepWhatComesOf(native, "prepare", (statement) => keepWhatComesOf(statement, "iterate"));
  }
  return database;
}
