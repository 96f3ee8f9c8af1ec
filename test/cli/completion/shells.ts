import { execaSync } from "execa";

/** Whether a program is installed: a test that needs one is skipped without it. */
export function has(program: string): boolean {
  return execaSync("sh", ["-c", `command -v ${program}`], { reject: false }).exitCode === 0;
}
