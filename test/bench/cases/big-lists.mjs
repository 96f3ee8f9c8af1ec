import { spawnSync } from "node:child_process";
import { closeSync, copyFileSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { writeContacts } from "../../support/contacts-file.mjs";
import { timeAndPeak } from "../peak.mjs";
import { installed, median, program } from "../processes.mjs";

/**
 * A command that reads or writes as many records as the large database has groups.
 *
 * @typedef {object} Case
 * @property {string} what
 * @property {string[]} words
 * @property {string} [of] records (default: groups)
 * @property {number} [max] target of the ratio to the Python program
 * @property {string} [database] default: the large one
 * @property {() => void} [prepare] called before each run
 */

const maxRuns = 3;

/** Number of cases before the Python program runs: half of a round. */
const casesBeforePython = 8;

/** @param {string[]} words @param {number} [max] */
function list(words, max) {
  return { what: ["list", ...words].join(" "), words: ["group", "list", ...words], max };
}

/** @param {string} format @param {number} max */
function listAll(format, max) {
  return list(["--all", "-o", format], max);
}

/** @returns {Case[]} */
function casesOf({ folder, rows, large, small }) {
  const path = (name) => join(folder, name);
  const remove = (name) => () => {
    for (const end of ["", "-wal", "-shm"]) rmSync(path(name + end), { force: true });
  };
  const seed = (contacts, of) => ({
    what: "local seed",
    of,
    words: `local seed --random-seed 1 --groups ${rows} --contacts ${contacts}`.split(" "),
    database: path("seeded.db"),
    prepare: remove("seeded.db"),
    max: 1.5,
  });
  writeContacts(path("contacts.csv"), rows);
  return [
    listAll("jsonl", 1.3),
    listAll("csv", 1.3),
    listAll("id", 1.3),
    listAll("json", 1.3),
    listAll("yaml", 2),
    listAll("table", 3),
    { what: "export", words: ["export"], max: 1.5 },
    list(["--search", "2019"], 1),
    list(["--search", "e", "-o", "json"]),
    {
      what: "local backup",
      words: ["local", "backup", path("backup.db")],
      prepare: remove("backup.db"),
      max: 1.5,
    },
    {
      what: "local restore",
      words: ["local", "restore", path("backup.db"), "--yes"],
      database: path("restored.db"),
      prepare: remove("restored.db"),
      max: 1.5,
    },
    { what: "local check", words: ["local", "check"], max: 1.5 },
    seed(0, "groups"),
    seed(rows, "groups and as many contacts"),
    {
      what: "local contact import",
      of: "contacts",
      words: ["local", "contact", "import", "1", path("contacts.csv")],
      database: path("imported.db"),
      prepare: () => {
        remove("imported.db")();
        copyFileSync(small, path("imported.db"));
      },
      max: 1.5,
    },
  ].map((one) => ({ of: "groups", database: large, prepare: () => {}, ...one }));
}

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

/**
 * Measures commands on all records, against a Python program that reads and prints the same groups. It runs once in
 * each round of cases, and the median of its runs is the baseline of every case.
 */
export async function* bigLists(bench) {
  const { env, folder, runs, rows, large } = bench;
  const python = installed("python3");
  if (python === undefined) {
    process.stderr.write("No python3: lists are measured without their baseline\n");
  }
  const cases = casesOf(bench).map((one) => ({ ...one, measured: [] }));
  const base = [];
  for (let run = 0; run < Math.min(runs, maxRuns); run += 1) {
    for (const [index, { words, database, prepare, measured }] of cases.entries()) {
      prepare();
      const stdout = openSync(join(folder, "all"), "w");
      const argv = [program, ...words, "--database", database];
      measured.push(timeAndPeak(argv, { env, folder, stdout }));
      closeSync(stdout);
      if (python === undefined || index + 1 !== casesBeforePython) continue;
      const printed = openSync(join(folder, "all"), "w");
      base.push(timePython(python, large, { env, stdout: printed }));
      closeSync(printed);
    }
  }
  const baseline =
    python === undefined ? {} : { against: "Python, sqlite3 and json", base: median(base) };
  for (const { what, of, max, measured } of cases) {
    yield {
      what: `${what}, ${rows.toLocaleString("en")} ${of}`,
      ours: median(measured.map(({ milliseconds }) => milliseconds)) / 1000,
      unit: "s",
      ...baseline,
      ...(python === undefined || max === undefined ? {} : { target: { max } }),
    };
    yield {
      what: `${what}${of === "groups" ? "" : `, ${of}`}: peak memory`,
      ours: Math.max(...measured.map(({ mebibytes }) => mebibytes)),
      unit: "MiB",
      target: { max: 150 },
    };
  }
}
