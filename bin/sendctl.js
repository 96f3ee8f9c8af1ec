#!/usr/bin/env node
"use strict";

/**
 * Starts sendctl, and loads the files of its bundle like `require`, but faster: beside each file is its code as
 * compiled by V8 during the build (`code-cache.js`). V8 would accept such code for any source of the same length, so
 * the source is stored with the code and must be identical byte for byte. V8 rejects code of another version.
 *
 * Both are in one file because Node takes a millisecond to find, read and compile another one.
 */

const { readFileSync, writeSync } = require("node:fs");
const path = require("node:path");

let folder = path.join(path.dirname(__dirname), "dist");
/** Whether the files are not in the folder: Node cannot load them then. */
let isElsewhere = false;
/** Returns the content of a file of the bundle. */
let read = (name) => readFileSync(path.join(folder, name));
const modules = new Map();
/** The loaded files with their source and script. */
const compiled = [];
/** In bytes of source: a smaller file is compiled faster than Node's cache is set up. */
const smallest = 16 * 1024;
/** Whether V8 accepts the code in the package. If it refuses that of one file, it refuses all of it. */
let fits = true;
/** Whether Node's compile cache may be used: by the launcher alone, so that builds and tests depend on none. */
let mayUseNode = false;
/** Whether Node loads the files now. */
let usesNode = false;

/** What is put around the source of a file, as Node does. */
const [before, after] = ["(function (exports, require, module, __filename, __dirname) {", "\n})"];

/** Returns the exports of a file of the bundle, such as `./base.cjs`. */
function load(name) {
  const filename = path.join(folder, name);
  if (usesNode) return require(filename);
  const loaded = modules.get(name);
  if (loaded !== undefined) return loaded.exports;
  const source = read(name);
  const packaged = fits ? packagedCode(name, source) : undefined;
  if (packaged === undefined && source.length >= smallest && hasNodeLoad()) {
    return require(filename);
  }
  // Not a plain object: V8 would create a hidden class for each of the hundred exports.
  const module = { exports: Object.create(null) };
  modules.set(name, module);
  // Not for --version, which loads nothing else.
  const { Script } = require("node:vm");
  const script = new Script(packaged?.text ?? before + source.toString() + after, {
    // What stack traces name. V8 takes it from the stored code, which must not have a path of the build.
    filename: path.join("sendctl", name),
    cachedData: packaged?.code,
  });
  if (packaged !== undefined && script.cachedDataRejected) fits = false;
  compiled.push({ filename, source, script });
  script.runInThisContext()(module.exports, requireFrom, module, filename, folder);
  return module.exports;
}

function requireFrom(id) {
  return id.startsWith("./") ? load(id) : require(id);
}

/**
 * Returns the text to compile and its code. The text is stored in one piece, because putting it together again would
 * be another copy for V8's garbage collector.
 *
 * @param {Buffer} source
 */
function packagedCode(name, source) {
  try {
    const stored = read(`${name}.code`);
    const end = before.length + source.length;
    if (!stored.subarray(before.length, end).equals(source)) return undefined;
    const length = end + after.length;
    return { text: stored.latin1Slice(0, length), code: stored.subarray(length) };
  } catch {
    return undefined;
  }
}

/**
 * Has Node load the files from now on, with its compile cache (Node 22.8 or later). Returns whether it does: the cache
 * has to be in a folder that only the user can write to.
 */
function hasNodeLoad() {
  const { Module, enableCompileCache } = require("node:module");
  if (!mayUseNode || enableCompileCache === undefined) return false;
  mayUseNode = false;
  const cache = require("./private-cache.js").privateCache();
  if (cache === undefined) return false;
  enableCompileCache(cache);
  for (const [name, { exports }] of modules) {
    const filename = path.join(folder, name);
    require.cache[filename] = Object.assign(new Module(filename), { exports, loaded: true });
  }
  usesNode = true;
  return true;
}

/**
 * Loads the files from elsewhere: a single executable includes them (`executable/main.js`).
 *
 * @param {string} otherFolder what stack traces name
 * @param {(name: string) => Buffer} otherRead throws if there is no such file
 */
function loadFrom(otherFolder, otherRead) {
  folder = otherFolder;
  read = otherRead;
  isElsewhere = true;
}

/** Prints the version without loading the program. Returns whether it did. */
function printedVersion(argv) {
  if (argv.length !== 1 || (argv[0] !== "--version" && argv[0] !== "-V")) return false;
  try {
    writeSync(1, `${require("../package.json").version}\n`);
    return true;
  } catch {
    return false;
  }
}

/** Runs the command line of this process. */
async function start() {
  const argv = process.argv.slice(2);
  if (printedVersion(argv)) return;
  mayUseNode = !isElsewhere;
  let base;
  try {
    // The smallest file, which every other needs: it shows whether V8 accepts the code in the package.
    load("./rolldown-runtime.cjs");
    base = load("./base.cjs");
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
    const root = path.dirname(folder);
    writeSync(
      2,
      `sendctl: not built: ${folder} is missing or incomplete\nhint: run npm ci in ${root}\n`,
    );
    process.exitCode = 2;
    return;
  }
  const { main, processRuntime } = base;
  // The exit code if main never finishes because a promise is never settled.
  process.exitCode = 1;
  const runtime = processRuntime();
  process.exitCode = await main(argv, runtime);
  // The output has left the process by now. Taking V8's heap apart, as Node does at the end of an event loop, takes a
  // millisecond. And unread text in a pipe, which `dropUnread` left there, would keep the process from ending.
  process.exit();
}

module.exports = { load, loadFrom, compiled, before, after, start };

if (require.main === module) void start();
