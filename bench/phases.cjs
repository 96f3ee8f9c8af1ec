"use strict";

/**
 * Measures the phases of one start: loaded by `node --require` before the program. Writes nanoseconds as JSON to the
 * file that BENCH_REPORT names, at the end of the process. Each moment counts for one phase only: a module that is
 * loaded while a database is opened counts as loading.
 *
 *   load     finding, reading and evaluating modules: the launcher, the bundle, what is loaded of Node, the addon
 *   compile  code of the bundle: taken from the cache, or compiled
 *   open     opening the database, until its first statement
 *   query    statements
 *   print    writing to stdout
 *   parse    everything else that the program does: the command line, settings, checks, rendering
 */

const fs = require("node:fs");
const Module = require("node:module");
const vm = require("node:vm");

const phases = { load: 0n, compile: 0n, open: 0n, query: 0n, print: 0n, parse: 0n };
const now = () => process.hrtime.bigint();
let current = "parse";
let since;

/** Counts the time until now for the current phase, and begins another. Returns the one before. */
function enter(phase) {
  const at = now();
  phases[current] += at - since;
  const before = current;
  current = phase;
  since = at;
  return before;
}

/** Returns a function that counts as a phase. @param {string | ((args: unknown[]) => string)} phase */
function counted(phase, inner) {
  return function (...args) {
    const before = enter(typeof phase === "function" ? phase(args) : phase);
    try {
      return new.target === undefined
        ? inner.apply(this, args)
        : Reflect.construct(inner, args, new.target);
    } finally {
      enter(before);
    }
  };
}

/** Counts methods of an object as a phase, if it has them. */
function countMethods(object, names, phase) {
  for (const name of names)
    if (object[name] !== undefined) object[name] = counted(phase, object[name]);
}

let isOpen = false;
const ofDatabase = () => (isOpen ? "query" : "open");

/** Counts what an addon of better-sqlite3 does. */
function countDatabase(exports) {
  const { prototype } = exports.Database;
  const { prepare } = prototype;
  let hasStatement = false;
  prototype.prepare = function (...args) {
    const statement = prepare.apply(this, args);
    if (!hasStatement) {
      countMethods(Object.getPrototypeOf(statement), ["get", "all", "run", "iterate"], ofDatabase);
      hasStatement = true;
    }
    isOpen ||= /^(?:select|insert|update|delete)\b/i.test(String(args[0]));
    return statement;
  };
  countMethods(prototype, ["prepare", "exec", "close"], ofDatabase);
  exports.Database = counted("open", exports.Database);
  exports.Database.prototype = prototype;
}

countMethods(Module, ["_load"], "load");
countMethods(fs, ["readFileSync"], "load");
countMethods(fs, ["writeSync"], ([descriptor]) => (descriptor === 1 ? "print" : current));
vm.Script = class extends vm.Script {
  constructor(...args) {
    const before = enter("compile");
    super(...args);
    enter(before);
  }

  runInThisContext(...args) {
    const evaluate = counted("load", super.runInThisContext(...args));
    return (exports, require, module, ...rest) => {
      evaluate(exports, require, module, ...rest);
      // The launcher runs it while Node still loads the launcher.
      if (Object.hasOwn(exports, "main"))
        module.exports = Object.create(exports, {
          main: { value: counted("parse", exports.main) },
        });
    };
  }
};
const dlopen = process.dlopen.bind(process);
process.dlopen = counted("load", (module, ...args) => {
  dlopen(module, ...args);
  countDatabase(module.exports);
});
process.on("exit", () => {
  enter("parse");
  const numbers = Object.entries({ ...phases, from, until: since }).map(([name, value]) => [
    name,
    Number(value),
  ]);
  fs.writeFileSync(process.env.BENCH_REPORT, JSON.stringify(Object.fromEntries(numbers)));
});
const from = (since = now());
