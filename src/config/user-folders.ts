import { isAbsolute, join } from "node:path";
import { SendctlError } from "../core/error.ts";
import type { Runtime } from "../core/runtime.ts";

/** The folders of the XDG base directory specification, below the home folder. */
const usual = {
  XDG_CONFIG_HOME: [".config"],
  XDG_DATA_HOME: [".local", "share"],
  XDG_STATE_HOME: [".local", "state"],
};

/**
 * Returns the path of our file or folder in a folder of the user, or undefined without a home folder. A relative path in
 * the variable is ignored, as the specification requires.
 */
export function inUserFolder(
  variable: keyof typeof usual,
  { env, home }: Pick<Runtime, "env" | "home">,
  ...names: readonly string[]
): string | undefined {
  const folder = env[variable];
  if (folder !== undefined && isAbsolute(folder)) return join(folder, "sendctl", ...names);
  return isAbsolute(home) ? join(home, ...usual[variable], "sendctl", ...names) : undefined;
}

/** Returns the error for a file that cannot be placed without a home folder. @param hint what to do instead */
export function noHome(hint: string): SendctlError {
  return new SendctlError("usage", "no home folder is set (HOME)", { hint, setting: "HOME" });
}
