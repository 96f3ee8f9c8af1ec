import { join } from "node:path";
import { alternateStarts, bare, bareNode, program, time } from "../processes.mjs";
import { phasesOf } from "../hooks.mjs";

/** Measures whole processes against a bare Node. */
export async function* startUp({ env, folder, runs, rows, large, small }) {
  const many = rows.toLocaleString("en");
  const created = join(folder, "created.db");
  time([program, "local", "key", "create", "--database", created], env);
  const commands = [
    { what: "--version", words: ["--version"], max: 1.05 },
    { what: "--help", words: ["--help"], max: 1.25 },
    {
      what: `list --json, 15 of ${many}`,
      words: ["group", "list", "--json", "--database", large],
      max: 1.55,
      phases: true,
    },
    {
      what: "create, durable",
      words: ["group", "create", "Bench", "--json", "--database", created],
      max: 1.55,
      phases: true,
    },
  ];
  for (const { what, words, max, phases } of commands) {
    const medians = await alternateStarts([[program, ...words], env], [bareNode, env], runs);
    const note = phases === true ? phasesOf(words, { env, folder, runs }) : undefined;
    yield { what, ...medians, against: "node -e 0", unit: "ms", target: { max }, note };
  }
  const least = [
    { what: "list --json", words: ["--json"], script: "list.cjs", max: 1.05 },
    { what: "list as a table", words: [], script: "table.cjs", max: 0.8 },
  ];
  for (const { what, words, script, max } of least) {
    const ours = [program, "group", "list", ...words, "--database", large];
    const medians = await alternateStarts([ours, env], [[bare(script), large], env], runs);
    yield { what, ...medians, against: `bare ${script}`, unit: "ms", target: { max } };
  }
  const listOf = (file) => [[program, "group", "list", "--json", "--database", file], env];
  yield {
    what: `page 1 of ${many} vs. of 1,000, whole process`,
    ...(await alternateStarts(listOf(large), listOf(small), runs)),
    against: "1,000 rows",
    unit: "ms",
    target: { max: 1.1 },
  };
}
