import { execaSync } from "execa";

/** Returns whether a program is installed. Tests are skipped without it. */
export function has(program: string): boolean {
  return execaSync("sh", ["-c", `command -v ${program}`], { reject: false }).exitCode === 0;
}
