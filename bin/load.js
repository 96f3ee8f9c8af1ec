"use strict";

/**
 * Loads the files of the bundle, as `require` would, and faster: beside each lies what V8 made of it when it
 * was built (`code-cache.js`), so that it need not be compiled again. V8 itself would take such code for
 * any source of the same length, so the source that it was made of is kept with it and has to be the same,
 * byte for byte. What was made by another version of V8 is refused by V8.
 */

const { readFileSync } = require("node:fs");
const path = require("node:path");
const { Script } = require("node:vm");

const folder = path.join(path.dirname(__dirname), "dist");
const modules = new Map();
/** What was compiled: the file, its source, and its script. */
const compiled = [];

/** The exports of a file of the bundle, like `./main.cjs`. */
function load(name) {
  const loaded = modules.get(name);
  if (loaded !== undefined) return loaded.exports;
  const module = { exports: {} };
  modules.set(name, module);
  const filename = path.join(folder, name);
  const source = readFileSync(filename);
  const script = new Script(
    `(function (exports, require, module, __filename, __dirname) {${source.toString()}\n})`,
    { filename, cachedData: codeOf(filename, source) },
  );
  compiled.push({ filename, source, script });
  script.runInThisContext()(module.exports, requireFrom, module, filename, folder);
  return module.exports;
}

function requireFrom(id) {
  return id.startsWith("./") ? load(id) : require(id);
}

/** @param {Buffer} source */
function codeOf(filename, source) {
  try {
    const kept = readFileSync(`${filename}.code`);
    const isOfSource = kept.subarray(0, source.length).equals(source);
    return isOfSource ? kept.subarray(source.length) : undefined;
  } catch {
    return undefined;
  }
}

module.exports = { load, compiled };
