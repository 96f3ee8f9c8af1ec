import { join } from "node:path";
import { alternate, bareNode, program, time } from "../processes.mjs";

/** Whole processes beside a bare Node. */
export async function* startUp({ env, folder, runs, rows, large, small }) {
  const many = rows.toLocaleString("en");
  const created = join(folder, "created.db");
  time([program, "local", "key", "create", "--database", created], env);
  const commands = [
    { what: "--version", words: ["--version"], most: 1.15 },
    { what: "--help", words: ["--help"], most: 1.6 },
    {
      what: `list --json, 15 of ${many}`,
      words: ["group", "list", "--json", "--database", large],
      most: 1.6,
    },
    {
      what: `list as a table, 15 of ${many}`,
      words: ["group", "list", "--database", large],
      most: 2,
    },
    {
      what: "the same, of names in many scripts (page 2)",
      words: ["group", "list", "--page", "2", "--database", large],
    },
    {
      what: "create, durable",
      words: ["group", "create", "Bench", "--json", "--database", created],
      most: 1.7,
    },
  ];
  for (const { what, words, most } of commands) {
    const medians = await alternate(
      { ours: () => time([program, ...words], env), base: () => time(bareNode, env) },
      { runs },
    );
    const target = most === undefined ? undefined : { most };
    yield { what, ...medians, against: "node -e 0", unit: "ms", target };
  }
  const listOf = (file) => time([program, "group", "list", "--json", "--database", file], env);
  yield {
    what: `page 1 of ${many} against of 1,000, whole process`,
    ...(await alternate({ ours: () => listOf(large), base: () => listOf(small) }, { runs })),
    against: "1,000 rows",
    unit: "ms",
    target: { most: 1.1 },
  };
}
