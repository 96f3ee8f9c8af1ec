import { spawnSync } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { timeAndPeak } from "../peak.mjs";
import { installed, median, program } from "../processes.mjs";

const list = ["group", "list"];

/** Commands that print every group, and the targets of their ratios to the Python program. */
const cases = [
  { words: [...list, "--all", "-o", "jsonl"], max: 1.3 },
  { words: [...list, "--all", "-o", "csv"], max: 1.3 },
  { words: [...list, "--all", "-o", "id"], max: 1.3 },
  { words: [...list, "--all", "-o", "json"], max: 1.3 },
  { words: [...list, "--all", "-o", "yaml"], max: 2 },
  { words: [...list, "--all", "-o", "table"], max: 3 },
  { words: ["export"], max: 1.5 },
  { words: [...list, "--search", "2019"], max: 1 },
  { words: [...list, "--search", "e", "-o", "json"] },
];

const script = join(import.meta.dirname, "big-lists.py");

/** Returns the seconds that the Python program takes. */
function timePython(python, file, { env, stdout }) {
  const begun = performance.now();
  const { status, stderr } = spawnSync(python, [script, file], {
    env,
    stdio: ["ignore", stdout, "pipe"],
  });
  if (status !== 0) throw new Error(`${script} exited with ${status}: ${String(stderr)}`);
  return (performance.now() - begun) / 1000;
}

/** Measures lists that are too long for memory, against a Python program that reads and prints the same rows. */
export async function* bigLists({ env, folder, runs, rows, large }) {
  const python = installed("python3");
  if (python === undefined) {
    process.stderr.write("No python3: lists are measured without their baseline\n");
  }
  const baseline = python === undefined ? {} : { against: "Python, sqlite3 and json" };
  for (const { words, max } of cases) {
    const ours = [];
    const base = [];
    for (let run = 0; run < Math.min(runs, 3); run += 1) {
      for (const time of [
        (stdout) =>
          ours.push(timeAndPeak([program, ...words, "--database", large], { env, folder, stdout })),
        (stdout) => python !== undefined && base.push(timePython(python, large, { env, stdout })),
      ]) {
        const stdout = openSync(join(folder, "all"), "w");
        time(stdout);
        closeSync(stdout);
      }
    }
    const name = words.slice(words[0] === "group" ? 1 : 0).join(" ");
    yield {
      what: `${name}, ${rows.toLocaleString("en")} groups`,
      ours: median(ours.map(({ milliseconds }) => milliseconds)) / 1000,
      unit: "s",
      ...baseline,
      ...(python === undefined ? {} : { base: median(base) }),
      ...(python === undefined || max === undefined ? {} : { target: { max } }),
    };
    yield {
      what: `${name}: peak memory`,
      ours: Math.max(...ours.map(({ mebibytes }) => mebibytes)),
      unit: "MiB",
      target: { max: 150 },
    };
  }
}
