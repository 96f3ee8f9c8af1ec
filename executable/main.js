"use strict";

/**
 * Starts sendctl in a single executable, which `build.mjs` makes: the files of the bundle, with their compiled code,
 * are assets of the executable.
 */

const { getRawAsset } = require("node:sea");
const { loadFrom } = require("../bin/load.js");

loadFrom(process.execPath, (name) => Buffer.from(getRawAsset(name.replace(/^\.\//, ""))));
// For src/engine/sqlite/connection/driver.ts.
globalThis[Symbol.for("sendctl.addon")] = () => {
  const { loadAddon } = require("./addon.js");
  return loadAddon();
};
// oxlint-disable-next-line import/no-unassigned-import -- it is a program and exports nothing
require("../bin/sendctl.js");
