"use strict";

/**
 * Loads the addon of better-sqlite3 that the executable includes. The system loads addons from files only, so it is
 * written to sendctl's folder in the user's cache once, or else, for this process alone, to a temporary folder.
 */

const fs = require("node:fs");
const { tmpdir } = require("node:os");
const path = require("node:path");
const { getRawAsset } = require("node:sea");
const { isPrivate, privateCache } = require("../bin/private-cache.js");
const { optionalDependencies } = require("../package.json");

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = fs.constants;
/** In milliseconds: what is older than this is not being written by another process. */
const longestWrite = 60_000;

const { arch, platform } = process;
const [version] = /[^@]*$/.exec(optionalDependencies["better-sqlite3-13"]);
const name = `better-sqlite3-${version}-${platform}-${arch}.node`;

/**
 * Returns the exports of the addon.
 *
 * @throws the error of the system
 */
function loadAddon() {
  const bytes = Buffer.from(getRawAsset("addon.node"));
  return loadFromCache(bytes) ?? loadFromTemporaryFolder(bytes);
}

/** @param {Buffer} bytes */
function loadFromCache(bytes) {
  try {
    const folder = privateCache();
    if (folder === undefined) return undefined;
    const file = path.join(folder, name);
    if (!contains(file, bytes)) {
      removeOld(folder);
      replace(file, bytes);
    }
    return contains(file, bytes) ? open(file) : undefined;
  } catch {
    // No space, no permission, a read-only file system, or one that no code is loaded from.
    return undefined;
  }
}

/** @param {Buffer} bytes */
function loadFromTemporaryFolder(bytes) {
  const folder = fs.mkdtempSync(path.join(tmpdir(), "sendctl-"));
  try {
    const file = path.join(folder, name);
    fs.writeFileSync(file, bytes, { flag: "wx", mode: 0o600 });
    return open(file);
  } finally {
    remove(folder);
  }
}

function open(file) {
  const module = { exports: {} };
  process.dlopen(module, file);
  return module.exports;
}

/** Windows keeps the file of a loaded addon, so there the folder is left behind. */
function remove(folder) {
  try {
    fs.rmSync(folder, { recursive: true });
  } catch (error) {
    if (platform !== "win32") throw error;
  }
}

/** Checks that a file is the user's own and has these bytes. */
function contains(file, bytes) {
  let descriptor;
  try {
    descriptor = fs.openSync(file, O_RDONLY | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0));
    const stats = fs.fstatSync(descriptor);
    const isOwn = stats.isFile() && isPrivate(stats) && stats.size === bytes.length;
    return isOwn && fs.readFileSync(descriptor).equals(bytes);
  } catch {
    return false;
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor);
  }
}

/** Removes the addons of other versions, and what processes that were killed have left. */
function removeOld(root) {
  const others = fs.readdirSync(root).filter((other) => other.startsWith("better-sqlite3-"));
  for (const file of others.map((other) => path.join(root, other))) {
    const isOld = Date.now() - fs.lstatSync(file).mtimeMs > longestWrite;
    if (isOld) fs.rmSync(file);
  }
}

/** Writes a file atomically: other processes may be loading it. */
function replace(file, bytes) {
  const temporary = `${file}.${process.pid}.tmp`;
  fs.rmSync(temporary, { force: true });
  try {
    fs.writeFileSync(temporary, bytes, { flag: "wx", mode: 0o600 });
    fs.renameSync(temporary, file);
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  }
}

module.exports = { loadAddon };
