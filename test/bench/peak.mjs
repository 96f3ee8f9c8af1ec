import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";

const hook = join(import.meta.dirname, "peak-memory.cjs");

/**
 * Runs Node with these arguments, and tells how long it took and the most memory that it held.
 *
 * @param {string[]} argv
 * @param {{ env: Record<string, string>, folder: string, stdout?: number | "ignore", may?: number, timeout?: number }} options
 *   `may`: an exit code that is as good as 0; `timeout`: in milliseconds
 * @throws Error where it ends with another exit code, or does not end
 */
export function timeAndPeak(argv, { env, folder, stdout = "ignore", may = 0, timeout }) {
  const file = join(folder, "peak");
  const begun = performance.now();
  const { status, signal, stderr } = spawnSync(process.execPath, ["--require", hook, ...argv], {
    env: { ...env, BENCH_PEAK_FILE: file },
    stdio: ["ignore", stdout, "pipe"],
    timeout,
    maxBuffer: Infinity,
  });
  const milliseconds = performance.now() - begun;
  if (status !== 0 && status !== may) {
    const end = String(stderr).trim().split("\n").slice(-3).join(" ").slice(0, 300);
    throw new Error(`ended with ${status ?? signal}: ${end}`);
  }
  return { milliseconds, mebibytes: Number(readFileSync(file, "utf8")) / 1024 };
}
