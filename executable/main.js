"use strict";

/**
 * Starts sendctl in a single executable, which `build.mjs` makes: the files of the bundle, with their compiled code,
 * are assets of the executable.
 */

const { getRawAsset } = require("node:sea");
const { loadFrom, start } = require("../bin/sendctl.js");

loadFrom(process.execPath, (name) => Buffer.from(getRawAsset(name.replace(/^\.\//, ""))));
// For src/engine/sqlite/driver.ts.
globalThis[Symbol.for("sendctl.addon")] = () => {
  const { loadAddon } = require("./addon.js");
  return loadAddon();
};
void start();
