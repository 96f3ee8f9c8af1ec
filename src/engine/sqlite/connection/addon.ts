import { toNamespacedPath } from "node:path";
import { dlopen } from "node:process";
import { SendctlError } from "../../../core/error.ts";
import { driver, findAddon, loadIncluded } from "./driver.ts";

let loaded: object | undefined;

/**
 * Loads the native part of better-sqlite3.
 *
 * @throws SendctlError "database" with the reason
 */
export function loadAddon(): object {
  return (loaded ??= load());
}

function load(): object {
  try {
    if (loadIncluded !== undefined) return driver.adapt(loadIncluded());
    const file = findAddon();
    const addon: { exports: object } = { exports: {} };
    dlopen(addon, toNamespacedPath(file));
    return driver.adapt(addon.exports);
  } catch (error) {
    throw new SendctlError(
      "database",
      `the better-sqlite3 addon, which the embedded engine needs, cannot be loaded: ${reasonOf(error)}`,
      { hint: hintOf(error), database: "addon", cause: error },
    );
  }
}

/** An addon that was not installed at all has to be installed; a broken one is replaced by a reinstallation. */
function hintOf(error: unknown): string {
  if (loadIncluded !== undefined) {
    return "set TMPDIR to a folder that you can write to and that is not mounted with noexec";
  }
  const isMissing = ["MODULE_NOT_FOUND", "ENOENT"].includes(codeOf(error));
  return isMissing
    ? `run \`${driver.installCommand}\`, without -g if sendctl is installed in a project`
    : `reinstall sendctl, or run \`${driver.installCommand}\``;
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? "";
}

/** Matches the error in which Node names the ABI versions of the addon and of itself. */
const wrongInterface = /NODE_MODULE_VERSION (\d+)[^]*NODE_MODULE_VERSION (\d+)/;

/** Major versions of Node, by ABI version. */
const nodeMajors: Readonly<Record<string, number>> = {
  108: 18,
  111: 19,
  115: 20,
  120: 21,
  127: 22,
  131: 23,
  137: 24,
  141: 25,
};

/** Returns the reason on one line. */
function reasonOf(error: unknown): string {
  if (codeOf(error) === "MODULE_NOT_FOUND") return `${driver.packageName} is not installed`;
  const { message } = error as Error;
  const [, built, running] = wrongInterface.exec(message) ?? [];
  if (built === undefined || running === undefined) return message.split("\n", 1)[0]!;
  return `it was built for ${nodeName(built)}, but this is ${nodeName(running)}`;
}

function nodeName(abi: string): string {
  const major = nodeMajors[abi];
  const name = `NODE_MODULE_VERSION ${abi}`;
  return major === undefined ? name : `Node ${major} (${name})`;
}
