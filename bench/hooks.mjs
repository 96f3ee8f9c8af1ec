import { readFileSync } from "node:fs";
import { join } from "node:path";
import { median, program, run } from "./processes.mjs";

/**
 * Runs Node with a script of this folder loaded before the program, which reports when the process exits.
 *
 * @param {string} hook
 * @param {string[]} argv
 * @param {{ env: Record<string, string>, folder: string, stdout?: number }} options
 * @returns when it began and ended, in nanoseconds, and the report
 */
function runWith(hook, argv, { env, folder, stdout }) {
  const file = join(folder, "report.json");
  const words = ["--require", join(import.meta.dirname, hook), ...argv];
  const times = run(process.execPath, words, { ...env, BENCH_REPORT: file }, stdout);
  return { ...times, report: JSON.parse(readFileSync(file, "utf8")) };
}

/** Returns the time and the peak memory of Node with these arguments. */
export function timeAndPeak(argv, options) {
  const { begun, ended, report } = runWith("peak-memory.cjs", argv, options);
  return { milliseconds: (ended - begun) / 1e6, mebibytes: report / 1024 };
}

/**
 * Returns the phases of one start as a line of text, in milliseconds: medians of some runs. `phases.cjs` describes
 * them; `node` is the time before the program, and `exit` the time after it.
 */
export function phasesOf(words, { runs, ...options }) {
  const found = Array.from({ length: runs }, () => {
    const { begun, ended, report } = runWith("phases.cjs", [program, ...words], options);
    const { from, until, ...phases } = report;
    return { node: from - begun, ...phases, exit: ended - until };
  });
  const texts = Object.keys(found[0]).map((name) => {
    const nanoseconds = median(found.map((phases) => phases[name]));
    return `${name} ${(nanoseconds / 1e6).toFixed(1)}`;
  });
  return `phases in ms, slowed down by measuring: ${texts.join(", ")}`;
}
