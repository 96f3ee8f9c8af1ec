import { readFileSync } from "node:fs";
import { join } from "node:path";
import { time } from "./processes.mjs";

const hook = join(import.meta.dirname, "peak-memory.cjs");

/**
 * Runs Node with these arguments, and tells how long it took and the most memory that it held.
 *
 * @param {string[]} argv
 * @param {{ env: Record<string, string>, folder: string, stdout?: number | "ignore" }} options
 */
export function timeAndPeak(argv, { env, folder, stdout = "ignore" }) {
  const file = join(folder, "peak");
  const milliseconds = time(["--require", hook, ...argv], { ...env, BENCH_PEAK_FILE: file }, [
    "ignore",
    stdout,
    "pipe",
  ]);
  return { milliseconds, mebibytes: Number(readFileSync(file, "utf8")) / 1024 };
}
