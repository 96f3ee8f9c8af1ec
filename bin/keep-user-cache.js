"use strict";

/** Writes the code cache in the user's folder, for `user-cache.js`. It stops at the first error. */

const fs = require("node:fs");
const path = require("node:path");

/** Of folders for versions of V8 and installations of sendctl. The one that was written last is one of them. */
const mostFolders = 2;

const folderName = /^[\w.-]+-[0-9a-f]{8}$/;

/** In milliseconds: a temporary file that is older was left behind by a process that was killed. */
const longestWrite = 60_000;

/**
 * Writes the code of some scripts, each file atomically.
 *
 * @throws the error of the system
 * @param {{ root: string, folder: string }} place
 * @param {{ name: string, source: Buffer, script: import("node:vm").Script }[]} scripts
 */
function write({ root, folder }, scripts, { user, isPrivateFolder }) {
  if (!makeRoot(root, user) || !isPrivateFolder(root)) return;
  const isNew = make(folder);
  if (!isPrivateFolder(folder)) return;
  if (isNew) removeOldFolders(root, folder);
  removeLeftovers(folder);
  for (const { name, source, script } of scripts) {
    const file = path.join(folder, `${name}.code`);
    if (!isWrittenMeanwhile(file)) writeFile(file, source, script);
  }
}

/**
 * Creates the folder of sendctl's caches. The folder around it, or the next one, has to be the user's: root with
 * the HOME of somebody else would leave a folder there that they cannot write to.
 */
function makeRoot(root, user) {
  const caches = path.dirname(root);
  const existing = [caches, path.dirname(caches)].find((folder) => fs.existsSync(folder));
  if (existing === undefined) return false;
  if (user !== undefined && fs.statSync(existing).uid !== user) return false;
  if (existing !== caches) make(caches);
  make(root);
  return true;
}

/** Creates a folder, and returns whether it did. */
function make(folder) {
  try {
    fs.mkdirSync(folder, { mode: 0o700 });
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
}

function removeOldFolders(root, current) {
  const others = fs
    .readdirSync(root)
    .filter((name) => folderName.test(name))
    .map((name) => path.join(root, name))
    .filter((folder) => folder !== current)
    .map((folder) => ({ folder, changed: fs.lstatSync(folder).mtimeMs }))
    .toSorted((a, b) => b.changed - a.changed);
  for (const { folder } of others.slice(mostFolders - 1)) fs.rmSync(folder, { recursive: true });
}

function removeLeftovers(folder) {
  for (const name of fs.readdirSync(folder).filter((name) => name.endsWith(".tmp"))) {
    const file = path.join(folder, name);
    const stats = fs.lstatSync(file, { throwIfNoEntry: false });
    if (stats !== undefined && Date.now() - stats.mtimeMs > longestWrite) fs.rmSync(file);
  }
}

/** Checks whether another process has written a file since this one started. */
function isWrittenMeanwhile(file) {
  const stats = fs.lstatSync(file, { throwIfNoEntry: false });
  return stats !== undefined && stats.mtimeMs > performance.timeOrigin;
}

function writeFile(file, source, script) {
  const temporary = `${file}.${process.pid}.tmp`;
  const descriptor = fs.openSync(temporary, "wx", 0o600);
  try {
    const code = script.createCachedData();
    fs.writeFileSync(descriptor, Buffer.concat([code, source, code]));
    fs.renameSync(temporary, file);
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  } finally {
    fs.closeSync(descriptor);
  }
}

module.exports = { write, makeRoot };
