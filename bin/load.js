"use strict";

/**
 * Loads the files of the bundle like `require`, but faster: beside each file is its code as compiled by V8 during the
 * build (`code-cache.js`). V8 would accept such code for any source of the same length, so the source is stored with
 * the code and must be identical byte for byte. V8 rejects code of another version.
 */

const { readFileSync } = require("node:fs");
const path = require("node:path");
const { Script } = require("node:vm");

const folder = path.join(path.dirname(__dirname), "dist");
const modules = new Map();
/** The loaded files with their source and script. */
const compiled = [];

/** Returns the exports of a file of the bundle, such as `./main.cjs`. */
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
    const stored = readFileSync(`${filename}.code`);
    const isOfSource = stored.subarray(0, source.length).equals(source);
    return isOfSource ? stored.subarray(source.length) : undefined;
  } catch {
    return undefined;
  }
}

module.exports = { load, compiled };
