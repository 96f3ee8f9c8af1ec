/** Times whole processes, without environment variables that would slow them down. */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { performance } from "node:perf_hooks";

export const program = resolve(import.meta.dirname, "../bin/sendctl.js");

/** Returns the path of a script that does the least that a command has to do. */
export const bare = (script) => resolve(import.meta.dirname, "bare", script);

/** The baseline of every start-up. */
export const bareNode = ["-e", "0"];

/** Creates a temporary folder, and an environment in which sendctl uses only that folder. */
export function createHome() {
  const folder = mkdtempSync(join(tmpdir(), "sendctl-bench-"));
  const inherited = Object.fromEntries(
    Object.entries(process.env).filter(
      // Extra certificates add 27 ms to every start of Node 20, which flatters every ratio.
      ([name]) => !/^(SENDCTL_|NODE_|XDG_|CI$|NO_COLOR$|FORCE_COLOR$)/.test(name),
    ),
  );
  const env = { ...inherited, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  return { folder, env, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/**
 * Runs Node with these arguments until it exits.
 *
 * @param {string[]} argv
 * @param {Record<string, string>} env
 * @param {import("node:child_process").StdioOptions} [stdio]
 * @returns {number} milliseconds
 */
export function time(argv, env, stdio = "pipe") {
  const begun = performance.now();
  const { status, stderr } = spawnSync(process.execPath, argv, { env, stdio });
  const taken = performance.now() - begun;
  if (status !== 0) throw new Error(`${argv.join(" ")} exited with ${status}: ${String(stderr)}`);
  return taken;
}

/** Creates a key in a database, which is created if it does not exist. */
export function createKey(file, env) {
  const words = ["local", "key", "create", "--json", "--database", file];
  const { stdout } = spawnSync(process.execPath, [program, ...words], { env });
  return JSON.parse(stdout.toString()).data.secret_key;
}

/** @param {number[]} values */
export function median(values) {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * Runs two measurements alternately, so that a machine that speeds up or slows down affects both.
 *
 * @param {{ ours: () => number | Promise<number>, base: () => number | Promise<number> }} measure
 * @param {{ runs: number, warmUps?: number }} times
 * @returns the medians, and the ratio of the fastest runs, which other load disturbs less
 */
export async function alternate(measure, { runs, warmUps = 3 }) {
  const ours = [];
  const base = [];
  for (let run = -warmUps; run < runs; run += 1) {
    const one = await measure.ours();
    const other = await measure.base();
    if (run < 0) continue;
    ours.push(one);
    base.push(other);
  }
  const fastest = Math.min(...ours) / Math.min(...base);
  return { ours: median(ours), base: median(base), fastest };
}

/** @param {string} name @returns {string | undefined} path of an installed program */
export function installed(name) {
  const folders = [
    ...(process.env.PATH ?? "").split(delimiter),
    resolve(import.meta.dirname, "../node_modules/.bin"),
  ];
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
}

const taskset = availableParallelism() > 1 ? installed("taskset") : undefined;

/** Whether a process can be pinned to a core. */
export const pins = taskset !== undefined;

/**
 * Starts Node, pinned to a core if the machine has several.
 *
 * @param {number} core
 * @param {string[]} argv
 * @param {import("node:child_process").SpawnOptions} options
 */
export function spawnOn(core, argv, options) {
  return taskset === undefined
    ? spawn(process.execPath, argv, options)
    : spawn(taskset, ["-c", String(core), process.execPath, ...argv], options);
}

/** @param {number} pid @returns {number | undefined} seconds of processor time so far, on Linux */
export function processorTime(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return undefined;
  }
}
