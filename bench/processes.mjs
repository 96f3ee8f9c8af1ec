/** Times whole processes, without environment variables that would slow them down. */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";

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
 * Runs a program until it exits.
 *
 * @param {string} file
 * @param {string[]} argv
 * @param {Record<string, string>} env
 * @param {"pipe" | number} [stdout]
 * @returns when it began and ended, in nanoseconds
 * @throws Error if it fails
 */
export function run(file, argv, env, stdout = "pipe") {
  const begun = Number(process.hrtime.bigint());
  const options = { env, stdio: ["pipe", stdout, "pipe"], maxBuffer: Infinity };
  const { status, signal, stderr } = spawnSync(file, argv, options);
  const ended = Number(process.hrtime.bigint());
  if (status === 0) return { begun, ended };
  const end = String(stderr).trim().split("\n").slice(-3).join(" ").slice(0, 300);
  throw new Error(`${file} ${argv.join(" ")} exited with ${status ?? signal}: ${end}`);
}

/** Runs Node with these arguments until it exits. @returns milliseconds @throws Error if it fails */
export function time(argv, env) {
  const { begun, ended } = run(process.execPath, argv, env);
  return (ended - begun) / 1e6;
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

/**
 * Runs two command lines of Node alternately: see `alternate`.
 *
 * @param {[argv: string[], env: Record<string, string>]} ours
 * @param {[argv: string[], env: Record<string, string>]} base
 * @param {number} runs
 */
export function alternateStarts(ours, base, runs) {
  return alternate({ ours: () => time(...ours), base: () => time(...base) }, { runs });
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
 * @param {number | undefined} core not pinned if undefined
 * @param {string[]} argv
 * @param {import("node:child_process").SpawnOptions} options
 */
export function spawnOn(core, argv, options) {
  return taskset === undefined || core === undefined
    ? spawn(process.execPath, argv, options)
    : spawn(taskset, ["-c", String(core), process.execPath, ...argv], options);
}

/** Returns the fields of a process from its state on, on Linux. @param {number} pid */
function statusOf(pid) {
  return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
}

/** @param {number} pid @returns {number | undefined} seconds of processor time so far, on Linux */
export function processorTime(pid) {
  try {
    const fields = statusOf(pid);
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return undefined;
  }
}

/** Returns the seconds of processor time so far of a process and its children, on Linux. @param {number} pid */
export function processorTimeOfAll(pid) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  const times = [pid, ...children.trim().split(" ").map(Number)].map(processorTime);
  // Read last: it includes a child that has ended in the meantime.
  const ofEnded = statusOf(pid)
    .slice(13, 15)
    .map((ticks) => Number(ticks) / 100);
  return [...times, ...ofEnded].reduce((sum, each) => sum + (each ?? 0), 0);
}
