/**
 * Every target of docs/performance.md beside its baseline, in one run: `npm run bench`. The method is
 * written there. Only ratios within one run carry over to another machine.
 *
 *   --rows N      groups of the large database (1,000,000)
 *   --runs N      alternating runs of whole processes (41)
 *   --window MS   length of each of the alternating windows of load, five a server (2000)
 *   --only NAME   one family of rows, or several: start-up, serve, pages, processes, lists, peers
 *   --peers       other programs that are installed, too
 *   --json        the report as JSON
 *   --write       puts the table into docs/performance.md
 *   --scale       instead: what everything costs, by the size of the database, up to --rows groups
 */
import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { bigLists } from "./cases/big-lists.mjs";
import { markdownTable, replaceInDocument } from "./document.mjs";
import { manyProcesses } from "./cases/many-processes.mjs";
import { pages } from "./cases/pages.mjs";
import { peers } from "./cases/peers.mjs";
import { createHome, pins, program, time } from "./processes.mjs";
import { cellsOf, columns, lineOf, ratioOf, verdictOf } from "./row.mjs";
import { scale } from "./cases/scale.mjs";
import { serve } from "./cases/serve.mjs";
import { startUp } from "./cases/start-up.mjs";

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
    scale: { type: "boolean", default: false },
  },
});

/** @param {string} name */
function numberOf(name) {
  const number = Number(values[name]);
  if (Number.isInteger(number) && number > 0) return number;
  throw new Error(`--${name} is "${values[name]}": it must be a number from 1`);
}

function chosenFamilies() {
  const usual = Object.keys(families).filter((name) => name !== "peers" || values.peers);
  const chosen = values.only ?? usual;
  const unknown = chosen.find((name) => !(name in families));
  if (unknown === undefined) return chosen;
  throw new Error(`--only is "${unknown}": it must be one of ${Object.keys(families).join(", ")}`);
}

function fill(file, groups, env) {
  process.stderr.write(`Filling a database with ${groups.toLocaleString("en")} groups\n`);
  const counts = ["--groups", String(groups), "--contacts", "0", "--sender-ids", "15"];
  time([program, "local", "seed", ...counts, "--random-seed", "1", "--database", file], env);
}

async function report() {
  const rows = numberOf("rows");
  const runs = numberOf("runs");
  const window = { windows: 5, milliseconds: numberOf("window") };
  const chosen = chosenFamilies();
  const { folder, env, remove } = createHome();
  process.once("SIGINT", () => {
    remove();
    process.exit(130);
  });
  try {
    const large = join(folder, "large.db");
    const small = join(folder, "small.db");
    fill(large, rows, env);
    fill(small, 1000, env);
    // What is made up is in many scripts, and those are a row of their own.
    for (let count = 1; count <= 15; count += 1) {
      time([program, "group", "create", `Group ${count}`, "--database", large], env);
    }
    const bench = { folder, env, rows, runs, window, large, small };
    const pinned = pins ? "server and load each on a core" : "nothing pinned to a core";
    const method = `Node ${process.version}, ${cpus().length} cores, ${runs} alternating runs, medians; ${pinned}`;
    if (!values.json) console.log(`${method}\n\n${lineOf(columns)}`);
    const found = [];
    for (const name of chosen) {
      for await (const row of families[name](bench)) {
        found.push({ ...row, ratio: ratioOf(row), verdict: verdictOf(row) });
        if (values.json) continue;
        console.log(lineOf(cellsOf(row)));
        if (row.note !== undefined) console.log(`    ${row.note}`);
      }
    }
    const judged = found.filter(({ target }) => target !== undefined);
    const met = judged.filter(({ verdict }) => verdict === "met");
    if (values.json) console.log(JSON.stringify({ method, rows: found }, null, 2));
    else console.log(`\n${met.length} of ${judged.length} targets met`);
    if (values.write) {
      const table = markdownTable(columns, found.map(cellsOf), "lrrlrrl");
      replaceInDocument("targets", `${table}\n\n${method}.`);
    }
  } finally {
    remove();
  }
}

await (values.scale
  ? scale({ write: values.write, json: values.json, most: numberOf("rows") })
  : report());
