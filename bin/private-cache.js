"use strict";

/** Finds sendctl's folder in the user's cache, for compiled code and for the addon of the single executable. */

const { existsSync, lstatSync, mkdirSync, realpathSync, statSync } = require("node:fs");
const path = require("node:path");

/** Undefined on Windows, where access to the profile's folders is restricted instead. */
const user = process.geteuid?.();

/** Of a folder in which users replace only what is theirs, such as /tmp. */
const stickyBit = 0o1000;

/**
 * Returns the folder, which is created if necessary: code in it runs, so nobody else may be able to change it, or to put
 * another in its place. Undefined if that cannot be ensured, and with SENDCTL_NO_CODE_CACHE.
 */
function privateCache() {
  if ((process.env.SENDCTL_NO_CODE_CACHE ?? "") !== "") return undefined;
  try {
    const folder = cacheFolder();
    if (folder === undefined || !create(path.dirname(folder)) || !create(folder)) return undefined;
    const stats = lstatSync(folder);
    const isSafe = stats.isDirectory() && isPrivate(stats) && isOutOfReach(folder);
    return isSafe ? folder : undefined;
  } catch {
    // No space, no permission, a read-only file system, another process that removed the folder.
    return undefined;
  }
}

/** Returns the path of the folder; undefined without an absolute folder of the user. */
function cacheFolder() {
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
 * Creates a folder if it is missing. The folder around it has to be the user's: root with the HOME of somebody else
 * would leave a folder there that they cannot write to. Returns whether the folder exists.
 */
function create(folder) {
  if (existsSync(folder)) return true;
  if (user !== undefined && statSync(path.dirname(folder)).uid !== user) return false;
  mkdirSync(folder, { mode: 0o700 });
  return true;
}

/** Checks that a file or folder is for the user only. */
function isPrivate({ uid, mode }) {
  return user === undefined || (uid === user && (mode & 0o077) === 0);
}

/** Checks that nobody else can put another folder in the place of one. */
function isOutOfReach(folder) {
  if (user === undefined) return true;
  for (let above = realpathSync(path.dirname(folder)); ; above = path.dirname(above)) {
    const { uid, mode } = statSync(above);
    const isShared = (mode & 0o022) !== 0 && (mode & stickyBit) === 0;
    if (isShared || (uid !== user && uid !== 0)) return false;
    if (above === path.dirname(above)) return true;
  }
}

module.exports = { privateCache, isPrivate };
