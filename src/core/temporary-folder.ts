import { lstatSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import { join, resolve } from "node:path";
import { getuid, pid } from "node:process";
import { SendctlError } from "./error.ts";
import { isAbandoned, ownNames } from "./own-file.ts";
import type { Runtime } from "./runtime.ts";

/** Names process and machine. */
const prefix = (id: number): string => `sendctl-${id}-${encodeURIComponent(hostname())}-`;

/**
 * Creates a folder for temporary files, below TMPDIR, that only its owner may enter. Removes those
 * that killed processes of this user have left.
 *
 * @param name name of the file
 * @returns the path of the file, and a function that deletes the folder and everything in it
 * @throws SendctlError "usage" if the folder cannot be created
 */
export function makeTemporaryFolder(
  name: string,
  { env, folder: current }: Pick<Runtime, "env" | "folder">,
) {
  // tmpdir() of Node reads the environment of the process, not that of the runtime.
  const parent = resolve(current, env["TMPDIR"] || env["TMP"] || env["TEMP"] || "/tmp");
  try {
    const folder = mkdtempSync(join(parent, prefix(pid)));
    ownNames.add(folder);
    removeAbandoned(parent);
    return { file: join(folder, name), remove: () => remove(folder) };
  } catch (error) {
    const hint = "set TMPDIR to a folder that you may write to";
    const { code } = error as NodeJS.ErrnoException;
    const message = `cannot create a folder in ${parent} (${code})`;
    throw new SendctlError("usage", message, { hint, field: "TMPDIR", cause: error });
  }
}

/**
 * Removes the folders below another that processes of this user and machine have left.
 *
 * @param ended a process that has ended, although its number may exist
 */
export function removeAbandoned(parent: string, ended?: number): void {
  try {
    for (const name of readdirSync(parent)) {
      const id = Number(/^sendctl-(\d+)-.+-\w{6}$/.exec(name)?.[1]);
      const folder = join(parent, name);
      if (!name.startsWith(prefix(id)) || !(id === ended || isAbandoned(folder, id))) continue;
      if (lstatSync(folder).uid === (getuid?.() ?? 0)) remove(folder);
    }
  } catch {
    // It may be one that may be written and not listed, or another process has just removed one.
  }
}

function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  } catch {
    // On Windows, another process has a file open. A later command removes it.
  }
}
