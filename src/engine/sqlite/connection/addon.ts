import { createRequire } from "node:module";
import { SendctlError } from "../../../contract/error.ts";
import { isWholeElf } from "./whole-elf.ts";

/** Named in full: looking for it, as better-sqlite3 would, costs a millisecond. */
const addon = "better-sqlite3/build/Release/better_sqlite3.node";

let loaded: object | undefined;

/**
 * Loads the part of better-sqlite3 that is compiled or downloaded when sendctl is installed.
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
    if (!isWholeElf(file)) throw new Error(`${file} is cut short`);
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

/** Node names its own binary interface and that of the addon. */
const wrongInterface = /NODE_MODULE_VERSION (\d+)[^]*NODE_MODULE_VERSION (\d+)/;

/** Major versions of Node by the number of their binary interface. */
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

/** Returns in one line why the addon cannot be loaded. */
function reasonOf(error: unknown): string {
  const { message } = error as Error;
  const [, built, running] = wrongInterface.exec(message) ?? [];
  if (built === undefined || running === undefined) return message.split("\n", 1)[0]!;
  return `it was built for ${nodeName(built)}, and this is ${nodeName(running)}`;
}

function nodeName(number: string): string {
  const major = nodeMajors[number];
  const name = `NODE_MODULE_VERSION ${number}`;
  return major === undefined ? name : `Node ${major} (${name})`;
}
