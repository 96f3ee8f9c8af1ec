import { join } from "node:path";
import { alternate, bare, bareNode, program, time } from "../processes.mjs";
import { phasesOf } from "../phases.mjs";

/** Names of groups in 15 scripts, some of which need the properties of their characters to be measured. */
const names = [
  "เพื่อนร่วมงาน",
  "मित्र मंडली",
  "বন্ধুদের দল",
  "நண்பர்கள் குழு",
  "أصدقاء العائلة",
  "חברים קרובים",
  "친구 모임",
  "お友だちグループ",
  "客户名单",
  "Φίλοι και γνωστοί",
  "Друзья семьи",
  "მეგობრები",
  "ጓደኞች ቡድን",
  "Party 🎉🎂",
  "👨‍👩‍👧‍👦 family",
];

/** Measures whole processes against a bare Node. */
export async function* startUp({ env, folder, runs, rows, large, small }) {
  const many = rows.toLocaleString("en");
  const created = join(folder, "created.db");
  time([program, "local", "key", "create", "--database", created], env);
  const scripts = join(folder, "scripts.db");
  for (const name of names) time([program, "group", "create", name, "--database", scripts], env);
  const commands = [
    { what: "--version", words: ["--version"], max: 1.05 },
    { what: "--help", words: ["--help"], max: 1.3 },
    {
      what: `list --json, 15 of ${many}`,
      words: ["group", "list", "--json", "--database", large],
      max: 1.45,
      phases: true,
    },
    {
      what: `list as a table, 15 of ${many}`,
      words: ["group", "list", "--database", large],
      max: 1.7,
    },
    {
      what: "list as a table, 15 names in 15 scripts",
      words: ["group", "list", "--database", scripts],
      max: 2.2,
    },
    {
      what: "create, durable",
      words: ["group", "create", "Bench", "--json", "--database", created],
      max: 1.55,
      phases: true,
    },
  ];
  for (const { what, words, max, phases } of commands) {
    const medians = await alternate(
      { ours: () => time([program, ...words], env), base: () => time(bareNode, env) },
      { runs },
    );
    const note = phases === true ? phasesOf(words, { env, folder, runs }) : undefined;
    yield { what, ...medians, against: "node -e 0", unit: "ms", target: { max }, note };
  }
  const least = [
    { what: "list --json", words: ["--json"], script: "list.cjs", max: 0.95 },
    { what: "list as a table", words: [], script: "table.cjs" },
  ];
  for (const { what, words, script, max } of least) {
    const ours = [program, "group", "list", ...words, "--database", large];
    const medians = await alternate(
      { ours: () => time(ours, env), base: () => time([bare(script), large], env) },
      { runs },
    );
    const target = max === undefined ? undefined : { max };
    yield { what, ...medians, against: `bare ${script}`, unit: "ms", target };
  }
  const listOf = (file) => time([program, "group", "list", "--json", "--database", file], env);
  yield {
    what: `page 1 of ${many} vs. of 1,000, whole process`,
    ...(await alternate({ ours: () => listOf(large), base: () => listOf(small) }, { runs })),
    against: "1,000 rows",
    unit: "ms",
    target: { max: 1.1 },
  };
}
