"use strict";

/**
 * Reads the code cache in the user's folder, which `sendctl.js` uses for the files whose code in the package is
 * missing or was made by another V8. `keep-user-cache.js` writes it.
 *
 * A file holds V8's code, the source that it was compiled from, and the code again. Release builds of V8 do not
 * verify the checksum of their code, so the two copies are compared: a damaged or half-written file is not used.
 * Loading `node:zlib` for a CRC would take 2 ms, comparing a megabyte takes 0.1 ms. Only the user's files are
 * verified like this: the package's are as trustworthy as the program beside them.
 */

const { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } = require("node:fs");
const path = require("node:path");
const { Script } = require("node:vm");

/** Undefined on Windows, where access to the profile's folders is restricted instead. */
const user = process.geteuid?.();

/** Code is up to five times as long as its source. More than this is not ours. */
const mostTimesSource = 40;

/** To be changed with the layout of the files, or with what `sendctl.js` puts around a source. */
const layout = "1";

/** What became of each file that was looked up, by name: its code was used, or there is none. */
const lookedUp = new Map();

/** @type {{ readonly root: string, readonly folder: string } | undefined} */
let found;
/** Whether there is a folder that nobody else can write to. Undefined before the first file is looked up. */
let isUsable;

/** Returns the code of a file of the bundle, where the user's cache has it. */
function readCode(name, filename, source) {
  if (isUsable === undefined) {
    found = locate(path.dirname(filename));
    isUsable = found !== undefined && isPrivateFolder(found.root) && isPrivateFolder(found.folder);
  }
  const code = isUsable ? read(name, source) : undefined;
  lookedUp.set(name, code === undefined ? "missing" : "used");
  return code;
}

/** @param {Buffer} source */
function read(name, source) {
  let file;
  try {
    const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
    file = openSync(path.join(found.folder, `${name}.code`), flags);
    const stats = fstatSync(file);
    if (!stats.isFile() || !isPrivate(stats)) return undefined;
    if (stats.size > source.length * mostTimesSource) return undefined;
    const bytes = readFileSync(file);
    const length = (bytes.length - source.length) / 2;
    if (length <= 0 || !Number.isInteger(length)) return undefined;
    const code = bytes.subarray(0, length);
    const isIntact =
      bytes.subarray(length, -length).equals(source) && bytes.subarray(-length).equals(code);
    return isIntact ? code : undefined;
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Returns the folder of sendctl's caches, and in it the one for this V8 and this installation. */
function locate(installation) {
  const root = rootFolder();
  if (root === undefined) return undefined;
  const { versions, arch } = process;
  const key = hash([...thisV8(), ...Buffer.from(`${layout} ${installation}`)]);
  return { root, folder: path.join(root, `${versions.v8}-${arch}-${key}`) };
}

/** Returns the folder of sendctl's caches; undefined if nothing is to be kept. */
function rootFolder() {
  const { env, platform } = process;
  const absolute = (name) => (path.isAbsolute(env[name] ?? "") ? env[name] : undefined);
  const caches = absolute("XDG_CACHE_HOME");
  if (caches !== undefined) return path.join(caches, "sendctl");
  if (platform === "win32") {
    const data = absolute("LOCALAPPDATA");
    return data && path.join(data, "sendctl", "Cache");
  }
  const home = absolute("HOME");
  const folder = platform === "darwin" ? "Library/Caches" : ".cache";
  return home && path.join(home, folder, "sendctl");
}

/**
 * Returns the header that V8 gives to code now. It changes with V8's version and those of its flags that code
 * depends on, which the program itself may set. `v8.cachedDataVersionTag()` does, too, but loading `node:v8`
 * takes 2 ms.
 */
function thisV8() {
  return new Script("0", { filename: "0" }).createCachedData().subarray(0, 24);
}

/** Returns the FNV-1a hash of some bytes. It tells folders apart and protects nothing. */
function hash(bytes) {
  let value = 0x811c9dc5;
  for (const byte of bytes) value = Math.imul(value ^ byte, 0x01000193) >>> 0;
  return value.toString(16).padStart(8, "0");
}

function isPrivateFolder(folder) {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  return stats !== undefined && stats.isDirectory() && isPrivate(stats);
}

/** Checks that nobody else could have written a file or folder. */
function isPrivate({ uid, mode }) {
  return user === undefined || (uid === user && (mode & 0o022) === 0);
}

/**
 * Writes the code of what this process had to compile, if anything.
 *
 * @param {{ name: string, filename: string, source: Buffer, script: Script }[]} compiled
 */
function keepCode(compiled) {
  if (found === undefined || ![...lookedUp.values()].includes("missing")) return;
  // The program has changed V8's flags since: what V8 would write now, it would not accept at the next start.
  const now = locate(path.dirname(compiled[0].filename));
  if (now.folder !== found.folder) return;
  // Code that was used is written again with the functions that only this command has called.
  const fresh = compiled.filter(
    ({ name, script }) => lookedUp.has(name) && script.cachedDataRejected !== true,
  );
  const { write } = require("./keep-user-cache.js");
  write(found, fresh, { user, isPrivateFolder });
}

module.exports = { readCode, keepCode, rootFolder, isPrivate, isPrivateFolder, user };
