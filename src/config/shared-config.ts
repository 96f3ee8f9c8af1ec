import { realpathSync, statSync } from "node:fs";
import { platform } from "node:process";
import { dirname } from "node:path";
import { SendctlError } from "../contract/error.ts";
import { shellWord } from "../contract/text/shell-word.ts";

const worldWritable = 0o002;

/** Mode bit that prevents users from replacing each other's files in a folder. */
const sticky = 0o1000;

/**
 * Rejects a config file that any user of the machine can write or replace, because its key command runs with the
 * permissions of the user who runs sendctl. Not checked on Windows, where Node reports every file as writable by
 * all; the folder of a user is closed to other users there.
 *
 * @throws SendctlError "auth" that names the file or folder
 */
export function refuseSharedConfig(file: string, system: NodeJS.Platform = platform): void {
  if (system === "win32") return;
  const real = realpathSync(file);
  for (const path of [real, dirname(real), dirname(file)]) {
    const { mode } = statSync(path);
    if ((mode & worldWritable) === 0 || (path !== real && (mode & sticky) !== 0)) continue;
    throw new SendctlError("auth", `the key command is not run: anyone can write ${path}`, {
      hint: `chmod o-w ${shellWord(path)}`,
      file: path,
    });
  }
}
