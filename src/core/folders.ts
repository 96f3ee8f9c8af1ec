import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { SendctlError } from "./error.ts";
import type { Runtime } from "./runtime.ts";

/**
 * Creates a folder and the folders of its path, accessible only to their owner. Node's own recursion never ends where
 * the system reports an existing parent as missing, as in /proc.
 *
 * @throws the error of the file system
 */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) makeFolder(parent);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** A folder that only its owner may enter, for one file. */
interface TemporaryFolder {
  readonly file: string;
  /** Deletes the folder and everything in it. */
  readonly remove: () => void;
}

/**
 * Creates a folder for temporary files, below TMPDIR.
 *
 * @param name name of the file
 * @throws SendctlError "usage" if the folder cannot be created
 */
export function makeTemporaryFolder(
  name: string,
  { env, folder: current }: Pick<Runtime, "env" | "folder">,
): TemporaryFolder {
  // tmpdir() of Node reads the environment of the process, which may differ from the one of the runtime.
  const parent = resolve(current, env["TMPDIR"] || env["TMP"] || env["TEMP"] || "/tmp");
  try {
    const folder = mkdtempSync(join(parent, "sendctl-"));
    // On Windows, a virus scanner may have a file open for a moment.
    const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    return { file: join(folder, name), remove };
  } catch (error) {
    throw new SendctlError("usage", `cannot create a folder in ${parent}`, {
      hint: "set TMPDIR to a folder that you may write to",
      setting: "TMPDIR",
      cause: error,
    });
  }
}
