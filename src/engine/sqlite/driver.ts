import { existsSync, readFileSync } from "node:fs";
import { dirname, join, toNamespacedPath } from "node:path";
import { arch, dlopen, getBuiltinModule, platform, versions } from "node:process";
import { SendctlError } from "../../core/error.ts";

// The addon has to fit this process, whichever runtime the program was given.

type Addon = Readonly<Record<string, unknown>>;

const compiled = "build/Release/better_sqlite3.node";

/** Compiled or downloaded when sendctl is installed. From Node 24.19 on, it can abort the process. */
const driver12 = {
  packageName: "better-sqlite3",
  installCommand: "npm install -g better-sqlite3@12.11.1",
  files: [compiled],
  /** Gives the addon the interface of version 13. */
  adapt: ({ Database, setErrorConstructor: initialize }: Addon) => ({ Database, initialize }),
};

/** Contains one binary per platform for all versions of Node from 22 on. It crashes Node 20. */
const driver13 = {
  packageName: "better-sqlite3-13",
  installCommand: "npm install -g better-sqlite3-13@npm:better-sqlite3@13.2.0",
  files: [`prebuilds/${isMusl() ? "linuxmusl" : platform}-${arch}.node`, compiled],
  adapt: (addon: Addon): object => addon,
};

/**
 * The version of better-sqlite3 whose addon this process can load, with the paths of the addon in the order of preference: see
 * docs/decisions/0019-two-versions-of-better-sqlite3.md. The JavaScript of version 13 is part of the bundle and drives both
 * addons.
 */
export const driver = Number.parseInt(versions.node, 10) >= 22 ? driver13 : driver12;

/** Loads the addon that a single executable includes (`executable/addon.js`); undefined elsewhere. */
export const loadIncluded = (globalThis as { [key: symbol]: unknown })[
  Symbol.for("sendctl.addon")
] as (() => Addon) | undefined;

/** Returns whether the C library of this process is musl. Only systems that have musl are examined. */
function isMusl(): boolean {
  if (platform !== "linux") return false;
  const loader = `/lib/ld-musl-${arch === "x64" ? "x86_64" : "aarch64"}.so.1`;
  return existsSync(loader) && readFileSync("/proc/self/maps", "latin1").includes("/ld-musl-");
}

/**
 * Returns the absolute path of the addon.
 *
 * @throws the error of Node if the package is not installed
 */
export function findAddon(): string {
  // The full path: searching for the addon, as better-sqlite3 does, costs a millisecond.
  const { createRequire } = getBuiltinModule("node:module");
  const resolve = createRequire(import.meta.url).resolve;
  const folder = dirname(resolve(`${driver.packageName}/package.json`));
  const files = driver.files.map((file) => join(folder, file));
  return files.find((file) => existsSync(file)) ?? files[0]!;
}

let loaded: object | undefined;

/** Loads the native part of better-sqlite3. @throws SendctlError "database" with the reason */
export function loadAddon(): object {
  try {
    return (loaded ??= driver.adapt(loadIncluded?.() ?? loadInstalled()));
  } catch (error) {
    const reason = `the better-sqlite3 addon, which the embedded engine needs, cannot be loaded: ${reasonOf(error)}`;
    throw new SendctlError("database", reason, {
      hint: hintOf(error),
      database: "addon",
      cause: error,
    });
  }
}

function loadInstalled(): Addon {
  const addon: { exports: Addon } = { exports: {} };
  dlopen(addon, toNamespacedPath(findAddon()));
  return addon.exports;
}

/** An addon that was not installed at all has to be installed; a broken one is replaced by a reinstallation. */
function hintOf(error: unknown): string {
  if (loadIncluded !== undefined) {
    return "set TMPDIR to a folder that you can write to and that is not mounted with noexec";
  }
  const { code = "" } = error as NodeJS.ErrnoException;
  if (code !== "MODULE_NOT_FOUND" && driver === driver12 && !existsSync(findAddon())) {
    return "its install script did not run: allow it with `npm rebuild better-sqlite3 --ignore-scripts=false` (-g for a global sendctl), or `pnpm approve-builds`";
  }
  const isMissing = ["MODULE_NOT_FOUND", "ENOENT"].includes(code);
  return isMissing
    ? `run \`${driver.installCommand}\`, without -g if sendctl is installed in a project`
    : `reinstall sendctl, or run \`${driver.installCommand}\``;
}

/** Returns the reason on one line. */
function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "MODULE_NOT_FOUND") return `${driver.packageName} is not installed`;
  if (message.includes("NODE_MODULE_VERSION")) return "it was built for another version of Node";
  return message.split("\n", 1)[0]!;
}
