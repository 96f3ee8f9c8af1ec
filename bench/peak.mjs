import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";

const hook = join(import.meta.dirname, "peak-memory.cjs");

/**
 * Runs Node with these arguments and returns its time and peak memory.
 *
 * @param {string[]} argv
 * @param {{ env: Record<string, string>, folder: string, stdout: number }} options
 * @throws Error if it fails
 */
export function timeAndPeak(argv, { env, folder, stdout }) {
  const file = join(folder, "peak");
  const begun = performance.now();
  const { status, signal, stderr } = spawnSync(process.execPath, ["--require", hook, ...argv], {
    env: { ...env, BENCH_PEAK_FILE: file },
    stdio: ["ignore", stdout, "pipe"],
    maxBuffer: Infinity,
  });
  const milliseconds = performance.now() - begun;
  if (status !== 0) {
    const end = String(stderr).trim().split("\n").slice(-3).join(" ").slice(0, 300);
    throw new Error(`${argv.join(" ")} exited with ${status ?? signal}: ${end}`);
  }
  return { milliseconds, mebibytes: Number(readFileSync(file, "utf8")) / 1024 };
}
