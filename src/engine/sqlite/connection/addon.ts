import { createRequire } from "node:module";
import { SendctlError } from "../../../contract/error.ts";
import { isWholeElf } from "./whole-elf.ts";

/** The full path: searching for the addon, as better-sqlite3 does, costs a millisecond. */
const addon = "better-sqlite3/build/Release/better_sqlite3.node";

let loaded: object | undefined;

/**
 * Loads the native part of better-sqlite3, which is downloaded or compiled when sendctl is
 * installed.
 *
 * @throws SendctlError "database" with the reason
 */
export function loadAddon(): object {
  return (loaded ??= load());
}

function load(): object {
  const require = createRequire(import.meta.url);
  try {
    const file = require.resolve(addon);
    if (!isWholeElf(file)) throw new Error(`${file} is truncated`);
    return require(file) as object;
  } catch (error) {
    throw new SendctlError(
      "database",
      `the better-sqlite3 addon, which the embedded engine needs, cannot be loaded: ${reasonOf(error)}`,
      {
        hint: "run `npm rebuild better-sqlite3` where sendctl is installed",
        database: "addon",
        cause: error,
      },
    );
  }
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
