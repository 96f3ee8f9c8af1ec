import { realpathSync, statSync } from "node:fs";
import { geteuid, platform } from "node:process";
import { dirname } from "node:path";
import { SendctlError } from "../core/error.ts";
import { shellWord } from "../core/text.ts";

/**
 * Rejects a config file that another user of the machine can write or replace, because its key
 * command runs with the permissions of the user who runs sendctl: the file and its folder must
 * belong to that user or root, and nobody else may write to them. If the file is a link, that holds
 * for both folders. Not checked on Windows, where Node reports every file as writable by all; the
 * folder of a user is closed to other users there.
 *
 * @throws SendctlError "usage" that names the file or folder
 */
export function refuseSharedConfig(
  file: string,
  system: NodeJS.Platform = platform,
  caller = geteuid?.() ?? 0,
): void {
  if (system === "win32") return;
  const real = realpathSync(file);
  for (const path of [dirname(file), dirname(real), real]) {
    const problem = problemOf(path, caller);
    if (problem === undefined) continue;
    throw new SendctlError("usage", `the key command is not run: ${problem[0]}`, {
      hint: problem[1],
    });
  }
}

/** Returns who else can change a file or folder, and how to prevent it; undefined if nobody can. */
function problemOf(
  path: string,
  caller: number,
): readonly [text: string, hint: string] | undefined {
  const { uid, mode } = statSync(path);
  const word = shellWord(path);
  if (uid !== 0 && uid !== caller) {
    return [`${path} belongs to another user (uid ${uid})`, `chown ${caller} ${word}`];
  }
  if ((mode & 0o022) === 0) return undefined;
  return [`${path} is writable by other users`, `chmod go-w ${word}`];
}
