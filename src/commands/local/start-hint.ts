import { platform } from "node:process";

/**
 * Returns what to do about a program that cannot be started.
 *
 * @param code of the system's error
 */
export function startHint(
  code: string | undefined,
  system: NodeJS.Platform = platform,
): string | undefined {
  // Node starts no scripts without a shell there: it finds no `npm`, and rejects `npm.cmd`.
  if (system === "win32" && (code === "ENOENT" || code === "EINVAL")) {
    return "pass a program on the PATH, or start a script through cmd.exe: -- cmd /c npm test";
  }
  if (code === "ENOENT" || code === "ENOTDIR") {
    return "pass a program on the PATH, or the path of one";
  }
  return code === "EACCES" ? "check that it is an executable program" : undefined;
}
