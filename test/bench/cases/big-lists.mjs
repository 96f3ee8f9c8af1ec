import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { median, program } from "../processes.mjs";
import { timeAndPeak } from "../peak.mjs";

/** Measures lists that are too long for memory. */
export async function* bigLists({ env, folder, runs, rows, large }) {
  const words = ["group", "list", "--all", "-o", "jsonl", "--database", large];
  const measured = [];
  for (let run = 0; run < Math.min(runs, 3); run += 1) {
    const stdout = openSync(join(folder, "all.jsonl"), "w");
    measured.push(timeAndPeak([program, ...words], { env, folder, stdout }));
    closeSync(stdout);
  }
  const what = `list --all -o jsonl of ${rows.toLocaleString("en")} groups`;
  const seconds = median(measured.map(({ milliseconds }) => milliseconds)) / 1000;
  const maxMemory = Math.max(...measured.map(({ mebibytes }) => mebibytes));
  yield { what, ours: seconds, unit: "s", target: { max: 10 } };
  yield {
    what: "list --all -o jsonl: peak memory",
    ours: maxMemory,
    unit: "MiB",
    target: { max: 150 },
  };
}
