/**
 * Measures every target with its baseline: `npm run bench`. README.md describes the method. Only ratios within
 * one run can be compared across machines.
 *
 *   --rows N      groups of the large database (1,000,000)
 *   --runs N      alternating runs of whole processes (41)
 *   --window MS   length of each of the alternating windows of load, five per server (2000)
 *   --only NAME   family of rows, may be repeated: start-up, serve, pages, processes, lists, peers
 *   --peers       also measure other installed programs
 *   --json        print the report as JSON
 *   --write       write the rows for readers to docs/performance.md, and the plot of the peers to docs/peers.svg
 */
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { bars } from "./bars.mjs";
import { bigLists } from "./cases/big-lists.mjs";
import { markdownTable, replaceInDocument } from "./document.mjs";
import { manyProcesses } from "./cases/many-processes.mjs";
import { pages } from "./cases/pages.mjs";
import { peers } from "./cases/peers.mjs";
import { createHome, pins, program, time } from "./processes.mjs";
import { readersColumns, readersRows } from "./readers.mjs";
import { cellsOf, columns, lineOf, ratioOf, verdictOf } from "./row.mjs";
import { serve } from "./cases/serve.mjs";
import { startUp } from "./cases/start-up.mjs";

const peersPlot = join(import.meta.dirname, "../docs/peers.svg");

const families = {
  "start-up": startUp,
  serve,
  pages,
  processes: manyProcesses,
  lists: bigLists,
  peers,
};

const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "1000000" },
    runs: { type: "string", default: "41" },
    window: { type: "string", default: "2000" },
    only: { type: "string", multiple: true },
    peers: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
  },
});

/** @param {string} name */
function numberOf(name) {
  const number = Number(values[name]);
  if (Number.isInteger(number) && number > 0) return number;
  throw new Error(`invalid --${name} "${values[name]}" (allowed: whole numbers from 1)`);
}

function selectedFamilies() {
  const defaults = Object.keys(families).filter((name) => name !== "peers" || values.peers);
  const selected = values.only ?? defaults;
  const unknown = selected.find((name) => !(name in families));
  if (unknown === undefined) return selected;
  throw new Error(`unknown --only "${unknown}" (available: ${Object.keys(families).join(", ")})`);
}

/** Returns the number of lines in a folder, which says what a comparison would cost. @param {string} folder */
function linesIn(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  const texts = files
    .filter((file) => file.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8"));
  return texts.join("").split("\n").length - 1;
}

function fill(file, groups, env) {
  process.stderr.write(`Filling a database with ${groups.toLocaleString("en")} groups\n`);
  const counts = ["--groups", String(groups), "--contacts", "0", "--sender-ids", "15"];
  time([program, "local", "seed", ...counts, "--database", file], env);
}

async function report() {
  const rows = numberOf("rows");
  const runs = numberOf("runs");
  const window = { windows: 5, milliseconds: numberOf("window") };
  const selected = selectedFamilies();
  const { folder, env, remove } = createHome();
  process.once("SIGINT", () => {
    remove();
    process.exit(130);
  });
  try {
    const large = join(folder, "large.db");
    const small = join(folder, "small.db");
    const medium = { file: join(folder, "medium.db"), groups: Math.min(rows, 100_000) };
    fill(large, rows, env);
    fill(small, 1000, env);
    if (selected.includes("lists")) fill(medium.file, medium.groups, env);
    // Seeded names are in many scripts, which are measured separately.
    for (let count = 1; count <= 15; count += 1) {
      time([program, "group", "create", `Group ${count}`, "--database", large], env);
    }
    const bench = { folder, env, rows, runs, window, large, medium, small };
    const pinned = pins
      ? "server and load generator pinned to a core each"
      : "no process pinned to a core";
    const method = `Node ${process.version}, ${cpus().length} cores, ${runs} alternating runs, medians; ${pinned}`;
    if (!values.json) console.log(`${method}\n\n${lineOf(columns)}`);
    const found = [];
    for (const name of selected) {
      for await (const row of families[name](bench)) {
        found.push({ ...row, ratio: ratioOf(row), verdict: verdictOf(row) });
        if (values.json) continue;
        console.log(lineOf(cellsOf(row)));
        if (row.note !== undefined) console.log(`    ${row.note}`);
      }
    }
    const withTarget = found.filter(({ target }) => target !== undefined);
    const met = withTarget.filter(({ verdict }) => verdict === "met");
    if (values.json) console.log(JSON.stringify({ method, rows: found }, null, 2));
    else {
      console.log(`\n${met.length} of ${withTarget.length} targets met`);
      console.log(`bench/ has ${linesIn(import.meta.dirname)} lines`);
    }
    if (values.write) {
      const table = markdownTable(readersColumns, readersRows(found), "lrrlr");
      replaceInDocument("measurements", `${table}\n\n${method}.`);
      if (selected.includes("peers")) writeFileSync(peersPlot, bars(found));
    }
  } finally {
    remove();
  }
}

await report();
