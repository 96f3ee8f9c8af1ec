import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { getBuiltinModule, platform } from "node:process";

/** Names the machine, and the container if it has processes of its own. */
export function systemName(): string {
  try {
    return `${hostname()} ${platform === "linux" ? readlinkSync("/proc/self/ns/pid") : ""}`;
  } catch {
    return `${hostname()} `;
  }
}

/**
 * Returns when a process started, in the form of the system: another process may get its number.
 *
 * @returns undefined if it is unknown or the process has ended
 */
export function startOf(pid: number): string | undefined {
  try {
    if (platform === "win32") return undefined;
    if (platform !== "linux") return programOutput("lstart", pid);
    // The 22nd field; the second is the name of the program, in parentheses. A zombie has ended.
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (fields[0] === "Z") return "ended";
    // It counts from the start of the system, so another process can have the same after a restart.
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()} ${fields[19]}`;
  } catch {
    return undefined;
  }
}

/** Returns the words of the command line of a process. @throws a system error; on Windows always */
export function wordsOf(pid: number): readonly string[] {
  return platform === "linux"
    ? readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0")
    : programOutput("args", pid).split(" ");
}

/** Returns a column of `ps`. */
function programOutput(column: string, pid: number): string {
  const words = ["TZ=UTC", "LC_ALL=C", "ps", "-o", `${column}=`, "-p", String(pid)];
  // Loaded late: Linux does not need it.
  const { execFileSync } = getBuiltinModule("node:child_process");
  return execFileSync("env", words, { encoding: "utf8" }).trim();
}
