import { closeSync, openSync, rmSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join, resolve } from "node:path";
import { markdownTable, replaceInDocument } from "../document.mjs";
import { timeAndPeak } from "../peak.mjs";
import { plot } from "../plot.mjs";
import { bareNode, createHome, median } from "../processes.mjs";
import { stepsOf } from "./scale-steps.mjs";

/** Groups; there are five times as many contacts, and as many again in one group. */
const usualSizes = [1000, 10_000, 100_000, 1_000_000];

/** Milliseconds that one command may take. */
const timeout = 300_000;

/**
 * What everything costs, by the size of the database: whole processes, what they print going to a file.
 *
 * @param {{ write: boolean, json: boolean, most: number }} options `most`: groups of the largest database;
 *   `write`: whether docs/performance.md and its plot are to hold the result
 */
export async function scale({ write, json, most }) {
  const sizes = usualSizes.filter((size) => size <= most);
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
        const told = failure ?? `${timeText(milliseconds)}, ${memoryText(mebibytes)}`;
        process.stderr.write(`${size.toLocaleString("en")}: ${what}: ${told}\n`);
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
 * Each step in turn, on a database of its own that is gone afterwards.
 *
 * @returns {Generator<[string, Result]>}
 */
function* measure({ env, folder }, size) {
  yield ["node -e 0", several(11, () => timeAndPeak(bareNode, { env, folder }))];
  const { steps } = stepsOf(folder, size);
  for (const { what, words, runs = 1, may } of steps) {
    const once = (run) => {
      const stdout = openSync(join(folder, "stdout"), "w");
      try {
        return timeAndPeak(words(run), { env, folder, stdout, may, timeout });
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
 * the median of the times and the most of the memory; or why there is none
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

/** A line a step: its time by size, how much that grows, and the most memory at both ends. */
function tableOf(sizes, results) {
  const head = [
    "",
    ...sizes.map((size) => `${size.toLocaleString("en")} groups`),
    "growth",
    "peak memory, least to most",
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
