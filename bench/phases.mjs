import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { median, program } from "./processes.mjs";

const hook = join(import.meta.dirname, "phases.cjs");

/**
 * Returns the phases of one start as a line of text, in milliseconds: medians of some runs. `phases.cjs` describes
 * them; `node` is the time before the program, and `exit` the time after it.
 */
export function phasesOf(words, { env, folder, runs }) {
  const file = join(folder, "phases.json");
  const found = Array.from({ length: runs }, () =>
    phasesOfRun(words, { ...env, BENCH_PHASES: file }),
  );
  const names = Object.keys(found[0]);
  const texts = names.map((name) => `${name} ${median(found.map((one) => one[name])).toFixed(1)}`);
  return `phases in ms, slowed down by measuring: ${texts.join(", ")}`;
}

function phasesOfRun(words, env) {
  const begun = process.hrtime.bigint();
  const argv = ["--require", hook, program, ...words];
  const { status, stderr } = spawnSync(process.execPath, argv, { env });
  const ended = process.hrtime.bigint();
  if (status !== 0) throw new Error(`${argv.join(" ")} exited with ${status}: ${String(stderr)}`);
  const { from, until, ...phases } = JSON.parse(readFileSync(env.BENCH_PHASES, "utf8"));
  const all = {
    node: from - Number(begun),
    ...phases,
    exit: Number(ended) - until,
  };
  return Object.fromEntries(Object.entries(all).map(([name, time]) => [name, time / 1e6]));
}
