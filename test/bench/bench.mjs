/**
 * Times whole processes beside a bare Node, in one run: `npm run bench`, `npm run bench -- --rows 1000`.
 *
 * Method: command and baseline take turns, so that a machine that speeds up or slows down does so for
 * both; the medians are compared. NODE_EXTRA_CA_CERTS, which alone adds 27 ms to every Node 20, is unset.
 * Only ratios within one run carry over to another machine.
 */
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";
import Sqlite from "better-sqlite3";

const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "1000000" },
    runs: { type: "string", default: "41" },
  },
});
const rows = Number(values.rows);
const runs = Number(values.runs);
const program = resolve(import.meta.dirname, "../../bin/sendctl.js");
const folder = mkdtempSync(join(tmpdir(), "sendctl-bench-"));
const { NODE_EXTRA_CA_CERTS: _, ...inherited } = process.env;
const env = { ...inherited, HOME: folder, XDG_DATA_HOME: folder, CI: "" };

/** @param {string[]} argv @returns {number} milliseconds */
function time(argv) {
  const begun = performance.now();
  const { status, stderr } = spawnSync(process.execPath, argv, { env, stdio: "pipe" });
  const taken = performance.now() - begun;
  if (status !== 0) throw new Error(`${argv.join(" ")} ended with ${status}: ${stderr.toString()}`);
  return taken;
}

/** @param {number[]} times */
function median(times) {
  return times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)];
}

/** @param {string[]} argv @param {string[]} baseline */
function pair(argv, baseline) {
  const times = { ours: [], base: [] };
  for (let warmUp = 0; warmUp < 3; warmUp += 1) {
    time(argv);
    time(baseline);
  }
  for (let run = 0; run < runs; run += 1) {
    times.ours.push(time(argv));
    times.base.push(time(baseline));
  }
  return { ours: median(times.ours), base: median(times.base) };
}

/** A database of so many groups, written in one go past the engine. */
function fill(file, count) {
  time([program, "group", "list", "--database", file]);
  const database = new Sqlite(file);
  const insert = database.prepare(
    `INSERT INTO contact_group (integration_id, uuid, name, send_birthday, created_at)
     VALUES (1, ?, ?, 0, ?)`,
  );
  database.transaction(() => {
    for (let at = 1; at <= count; at += 1) insert.run(randomUUID(), `Group ${at}`, at);
  })();
  database.close();
}

const large = join(folder, "large.db");
const small = join(folder, "small.db");
process.stderr.write(`Filling a database with ${rows} groups\n`);
fill(large, rows);
fill(small, 1000);

const bare = ["-e", "0"];
const listOf = (file) => [program, "group", "list", "--json", "--database", file];
const table = [
  { what: "--version", argv: [program, "--version"], baseline: bare, target: 1.15 },
  { what: "--help", argv: [program, "--help"], baseline: bare, target: 1.6 },
  { what: `list --json, 15 of ${rows}`, argv: listOf(large), baseline: bare, target: 1.6 },
  {
    what: `list as a table, 15 of ${rows}`,
    argv: [program, "group", "list", "--database", large],
    baseline: bare,
    target: 2,
  },
  {
    what: "create, durable",
    argv: [program, "group", "create", "Bench", "--database", small, "--json"],
    baseline: bare,
    target: 1.7,
  },
  {
    what: `list --json of ${rows} against of 1000`,
    argv: listOf(large),
    baseline: listOf(small),
    target: 1.1,
  },
];

console.log(`Node ${process.version}, ${runs} alternating runs each, medians\n`);
for (const { what, argv, baseline, target } of table) {
  const { ours, base } = pair(argv, baseline);
  const ratio = ours / base;
  const verdict = ratio <= target ? "met" : "MISSED";
  console.log(
    `${what.padEnd(44)}${ours.toFixed(1).padStart(7)} ms ${base.toFixed(1).padStart(7)} ms ` +
      `${ratio.toFixed(2).padStart(6)} ×  target ${target.toFixed(2)} ×  ${verdict}`,
  );
}
rmSync(folder, { recursive: true });
