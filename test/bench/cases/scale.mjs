import { closeSync, openSync, rmSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join, resolve } from "node:path";
import { markdownTable, replaceInDocument } from "../document.mjs";
import { timeAndPeak } from "../peak.mjs";
import { plot } from "../plot.mjs";
import { bareNode, createHome, median } from "../processes.mjs";
import { stepsOf } from "./scale-steps.mjs";

/** Numbers of groups. Each has five contacts, and one more group has as many contacts as there are groups. */
const usualSizes = [1000, 10_000, 100_000, 1_000_000];

/** Time limit of one command, in milliseconds. */
const timeout = 300_000;

/**
 * Measures every command by the size of the database: whole processes that write their output to a file.
 *
 * @param {{ write: boolean, json: boolean, maxGroups: number }} options `maxGroups`: groups of the largest database;
 *   `write`: write the result to docs/performance.md and its plot
 */
export async function scale({ write, json, maxGroups }) {
  const sizes = usualSizes.filter((size) => size <= maxGroups);
  const home = createHome();
  process.once("SIGINT", () => {
    home.remove();
    process.exit(130);
  });
  try {
    const results = new Map();
    for (const size of sizes) {
      for (const [what, result] of measure(home, size)) {
        results.set(what, [...(results.get(what) ?? []), result]);
        const { milliseconds, mebibytes, failure } = result;
        const text = failure ?? `${timeText(milliseconds)}, ${memoryText(mebibytes)}`;
        process.stderr.write(`${size.toLocaleString("en")}: ${what}: ${text}\n`);
      }
    }
    const method = `Node ${process.version}, ${cpus().length} cores`;
    if (json)
      console.log(JSON.stringify({ method, sizes, results: Object.fromEntries(results) }, null, 2));
    const tables = `${tableOf(sizes, results)}\n\n${method}.`;
    if (!json) console.log(tables);
    if (!write) return;
    replaceInDocument("scale", tables);
    const picture = resolve(import.meta.dirname, "../../../docs/performance.svg");
    writeFileSync(picture, plot(sizes, results));
  } finally {
    home.remove();
  }
}

/**
 * Runs each step in turn, on a database that is deleted afterwards.
 *
 * @returns {Generator<[string, Result]>}
 */
function* measure({ env, folder }, size) {
  yield ["node -e 0", several(11, () => timeAndPeak(bareNode, { env, folder }))];
  const { steps } = stepsOf(folder, size);
  for (const { what, words, runs = 1, acceptedExitCode } of steps) {
    const once = (run) => {
      const stdout = openSync(join(folder, "stdout"), "w");
      try {
        return timeAndPeak(words(run), { env, folder, stdout, acceptedExitCode, timeout });
      } finally {
        closeSync(stdout);
      }
    };
    yield [what, several(runs, once)];
  }
  for (const ending of ["db", "db-wal", "db-shm", "backup", "restored"]) {
    rmSync(join(folder, `${size}.${ending}`), { force: true });
  }
}

/**
 * @typedef {{ milliseconds?: number, mebibytes?: number, failure?: string }} Result
 * median time and maximum memory, or the reason for a failure
 */

/** @param {number} runs @param {(run: number) => { milliseconds: number, mebibytes: number }} once @returns {Result} */
function several(runs, once) {
  try {
    const results = Array.from({ length: runs }, (_, run) => once(run));
    return {
      milliseconds: median(results.map(({ milliseconds }) => milliseconds)),
      mebibytes: Math.max(...results.map(({ mebibytes }) => mebibytes)),
    };
  } catch (error) {
    return { failure: error.message };
  }
}

function timeText(milliseconds) {
  return milliseconds < 1000
    ? `${milliseconds.toFixed(0)} ms`
    : `${(milliseconds / 1000).toFixed(milliseconds < 10_000 ? 1 : 0)} s`;
}

function memoryText(mebibytes) {
  return `${mebibytes.toFixed(0)} MiB`;
}

/** Returns one line per step: its time by size, its growth, and its memory at the smallest and the largest size. */
function tableOf(sizes, results) {
  const head = [
    "",
    ...sizes.map((size) => `${size.toLocaleString("en")} groups`),
    "growth",
    "peak memory, smallest to largest",
  ];
  const lines = [...results].map(([what, found]) => {
    const [first, last] = [found[0], found.at(-1)];
    const ends = first.failure === undefined && last.failure === undefined;
    return [
      what,
      ...found.map(({ failure, milliseconds }) =>
        failure === undefined ? timeText(milliseconds) : "fails",
      ),
      ends ? `${(last.milliseconds / first.milliseconds).toFixed(1)} ×` : "",
      ends ? `${first.mebibytes.toFixed(0)} to ${memoryText(last.mebibytes)}` : "",
    ];
  });
  return markdownTable(head, lines, `l${"r".repeat(head.length - 1)}`);
}
