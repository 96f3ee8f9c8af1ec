import { closeSync, copyFileSync, openSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeContacts } from "../contacts-file.mjs";
import { timeAndPeak } from "../hooks.mjs";
import { installed, median, program, run } from "../processes.mjs";

/**
 * A command that reads or writes as many records as a database has groups.
 *
 * @typedef {object} Case
 * @property {string} what
 * @property {string[]} words
 * @property {string} [of] records (default: groups)
 * @property {number} [max] target of the ratio to the Python program
 * @property {number} memory target of its peak, in MiB
 * @property {string} [database] default: the large one
 * @property {() => void} [prepare] called before each run
 */

const maxRuns = 3;

/** @param {string[]} words @param {number} memory @param {number} [max] @returns {Case} */
function list(words, memory, max) {
  return {
    what: ["list --all", ...words].join(" "),
    words: ["group", "list", "--all", ...words],
    memory,
    max,
  };
}

/** Returns a row of a peak. @param {string} what @param {number} mebibytes @param {number} max */
function memory(what, mebibytes, max) {
  return { what: `${what}: peak memory`, ours: mebibytes, unit: "MiB", target: { max } };
}

/** Targets of peaks, in MiB. */
const streamed = 150;
const held = 1536;
const heldOfFewer = 300;

/** @returns {Case[]} */
function casesOf({ folder, rows, large, small }) {
  const contacts = join(folder, "contacts.csv");
  const imported = join(folder, "imported.db");
  writeContacts(contacts, rows);
  return [
    list(["-o", "jsonl"], streamed, 1.5),
    list(["-o", "csv"], streamed, 1.5),
    list(["-o", "id"], streamed, 1.5),
    list(["-o", "yaml"], streamed, 2),
    list(["-o", "json"], held, 1.5),
    list(["-o", "table"], held, 3),
    list(["--sort", "name", "-o", "jsonl"], held),
    { what: "export", words: ["export"], memory: held, max: 2 },
    {
      what: "local contact import",
      of: "contacts",
      words: ["local", "contact", "import", "1", contacts],
      database: imported,
      prepare: () => {
        for (const end of ["", "-wal", "-shm"]) rmSync(imported + end, { force: true });
        copyFileSync(small, imported);
      },
      memory: streamed,
      max: 1,
    },
  ].map((one) => ({ of: "groups", database: large, prepare: () => {}, ...one }));
}

/** Returns the cases whose memory is measured with fewer groups. @returns {Case[]} */
function fewerCasesOf({ folder }) {
  const manifest = join(folder, "empty.yaml");
  writeFileSync(manifest, "groups: []\n");
  return [
    ...["table", "json", "jsonl", "csv", "yaml", "id"].map((format) =>
      list(["-o", format], heldOfFewer),
    ),
    list(["--sort", "name", "-o", "json"], heldOfFewer),
    list(["--query", "[].name", "-o", "json"], heldOfFewer),
    { what: "export", words: ["export"], memory: heldOfFewer },
    { what: "diff", words: ["diff", "-f", manifest], memory: heldOfFewer },
  ];
}

const script = join(import.meta.dirname, "big-lists.py");

/** Returns the seconds that the Python program takes. */
function timePython(python, file, { env, stdout }) {
  const { begun, ended } = run(python, [script, file], env, stdout);
  return (ended - begun) / 1e9;
}

/**
 * Measures commands on all records, against a Python program that reads and prints the same groups. It runs once in
 * the middle of each round of cases, and the median of its runs is the baseline of every case.
 */
export async function* bigLists(bench) {
  const { env, folder, runs, rows, large, medium } = bench;
  const python = installed("python3");
  if (python === undefined) {
    process.stderr.write("No python3: lists are measured without their baseline\n");
  }
  /** Calls with a descriptor of a file that takes the output. */
  const toFile = (work) => {
    const stdout = openSync(join(folder, "all"), "w");
    try {
      return work(stdout);
    } finally {
      closeSync(stdout);
    }
  };
  const runList = (words, database) =>
    toFile((stdout) =>
      timeAndPeak([program, ...words, "--database", database], { env, folder, stdout }),
    );

  const cases = casesOf(bench).map((one) => ({ ...one, measured: [] }));
  const middle = Math.floor(cases.length / 2);
  const base = [];
  for (let round = 0; round < Math.min(runs, maxRuns); round += 1) {
    for (const [index, { words, database, prepare, measured }] of cases.entries()) {
      prepare();
      measured.push(runList(words, database));
      if (python === undefined || index !== middle) continue;
      base.push(toFile((stdout) => timePython(python, large, { env, stdout })));
    }
  }
  const baseline =
    python === undefined ? {} : { against: "Python, sqlite3 and json", base: median(base) };
  for (const { what, of, max, memory: most, measured } of cases) {
    yield {
      what: `${what}, ${rows.toLocaleString("en")} ${of}`,
      ours: median(measured.map(({ milliseconds }) => milliseconds)) / 1000,
      unit: "s",
      ...baseline,
      ...(python === undefined || max === undefined ? {} : { target: { max } }),
    };
    yield memory(what, Math.max(...measured.map(({ mebibytes }) => mebibytes)), most);
  }
  for (const { what, words, memory: most } of fewerCasesOf(bench)) {
    const fewer = medium.groups.toLocaleString("en");
    yield memory(`${what}, ${fewer} groups`, runList(words, medium.file).mebibytes, most);
  }
}
