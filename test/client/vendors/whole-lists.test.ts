import { describe, expect, test } from "vitest";
import type { PartialBehaviour } from "../../../src/contract/behaviour.ts";
import { shownIds } from "./command-case.ts";
import { caseNamed, inSituation, judgedRun } from "./judge.ts";
import { know } from "./known-behaviour.ts";
import { stateOf } from "./state.ts";
import type { Switches } from "./switches.ts";

const all = ["group", "list", "--all", "--json"];

type Service = readonly [
  what: string,
  switches: Partial<Switches>,
  /** Queries of a list of 30 groups. */
  queries: readonly string[],
];

const long = "perPage=1000";
const fourPages = [long, `${long}&page=2`, `${long}&page=3`, `${long}&page=4`];
const services: readonly Service[] = [
  ["honours both", {}, [long]],
  ["caps perPage", { maxPerPage: 10 }, fourPages],
  ["refuses pages beyond the last", { maxPerPage: 10, pastTheEnd: "refused" }, fourPages],
  ["has pages that overlap by a record", { maxPerPage: 10, pagesOverlap: true }, fourPages],
  [
    "has a total that is one too small",
    { maxPerPage: 29, totalShortBy: 1 },
    [long, `${long}&page=2`],
  ],
  [
    "refuses page, and long pages",
    { page: "refused", maxPerPage: 200, overMaxPerPage: "refused" },
    [long, "", "page=2", "perPage=31"],
  ],
  [
    "ignores page, refuses long pages, and has a total that is that of a page",
    {
      page: "ignored",
      defaultPerPage: 29,
      maxPerPage: 200,
      overMaxPerPage: "refused",
      totalShortBy: 1,
    },
    [long, "", "page=2", "perPage=30", "perPage=60"],
  ],
];

const queriesOf = (requests: readonly { readonly path: string }[]): string[] =>
  requests.map(({ path }) => path.split("?")[1] ?? "");

describe.for(services)("a service that %s", ([, switches, queries]) => {
  test.for(["json", "jsonl"])("shows its whole list as %s", (format) =>
    inSituation({ switches, groups: 30 }, async (trial) => {
      const outcome = await trial.run([...all.slice(0, 3), "-o", format]);
      expect(outcome.exitCode, outcome.stderr).toBe(0);
      expect(shownIds(outcome.stdout)).toHaveLength(30);
      expect(new Set(shownIds(outcome.stdout)).size).toBe(30);
      expect(queriesOf(outcome.requests)).toStrictEqual(queries);
    }),
  );

  test("gets no existing group of an apply again", () =>
    inSituation({ switches, groups: 30 }, async (trial) => {
      const { groups } = stateOf(trial.vendor.records);
      const manifest = { groups: groups.map(({ name }) => ({ name })) };
      const outcome = await trial.run(["apply", "-f", "manifest.json", "--yes"], { manifest });
      expect(outcome.exitCode, outcome.stderr).toBe(0);
      expect([...new Set(outcome.methods)]).toStrictEqual(["GET"]);
    }));
});

test.for(["group list --all", "export"])("%s reports an incomplete list", (name) => {
  const situation = { switches: { page: "ignored", maxPerPage: 10 }, groups: 30 } as const;
  return inSituation(situation, async (trial) => {
    const { exitCode, stderr } = await judgedRun(trial, caseNamed(name), situation);
    expect(exitCode).toBe(10);
    expect(stderr).toMatch(/\b10\b.*\b30\b/);
  });
});

describe("a whole list of a known service has pages of the largest size", () => {
  type Row = readonly [
    what: string,
    behaviour: PartialBehaviour,
    switches: Partial<Switches>,
    groups: number,
    queries: readonly string[],
  ];
  const first = ["perPage=20"];
  const two = ["perPage=20", "perPage=20&page=2"];
  const refusing = { maxPerPage: 20, overMaxPerPage: "refused" } as const;
  const refused = { page_parameter: "refused", per_page_max: 20 };
  const paged = { page_parameter: "honoured", per_page_max: 20 } as const;
  const rows: readonly Row[] = [
    ["a refused size", refused as PartialBehaviour, { page: "refused", ...refusing }, 19, first],
    ["pages of the largest size", paged, refusing, 30, two],
  ];

  test.for(rows)("%s", ([, behaviour, switches, groups, queries]) =>
    inSituation({ switches, groups }, async (trial) => {
      await know(trial, behaviour);
      const outcome = await trial.run(all);
      expect(outcome.exitCode, outcome.stderr).toBe(0);
      expect(queriesOf(outcome.requests)).toStrictEqual(queries);
      expect(shownIds(outcome.stdout)).toHaveLength(groups);
    }),
  );

  test("but a page size of the user is sent unchanged", () =>
    inSituation({ switches: refusing }, async (trial) => {
      await know(trial, { per_page_max: 20 });
      const outcome = await trial.run(["group", "list", "--per-page", "50"]);
      expect(outcome.exitCode).toBe(6);
      expect(queriesOf(outcome.requests)[0]).toBe("perPage=50");
    }));
});

/** Returns the ids, or for an export the names, of the groups in an output. */
function shownKeys(name: string, stdout: string): string[] {
  if (name === "-o id") return stdout.trim().split("\n");
  if (name !== "export") return shownIds(stdout);
  const { groups } = JSON.parse(stdout) as { groups: readonly { readonly name: string }[] };
  return groups.map((group) => group.name);
}

describe("a list that changes while it is read", () => {
  const commands: readonly (readonly [string, readonly string[]])[] = [
    ["--json", all],
    ["-o jsonl", ["group", "list", "--all", "-o", "jsonl"]],
    ["-o id", ["group", "list", "--all", "-o", "id"]],
    ["--search", ["group", "list", "--search", "Group", "--json"]],
    ["export", ["export", "-o", "json"]],
  ];

  const changing: readonly (readonly [string, Partial<Switches>])[] = [
    ["limits the page size", {}],
    ["writes ids as text", { idsAsText: true }],
    ["has large ids", { firstId: 9_007_199_254_740_990n }],
    ["refuses pages past the end", { pastTheEnd: "refused" }],
    ["lists the oldest first", { order: "ascending" }],
    ["refuses page", { page: "refused", defaultPerPage: 2, maxPerPage: 200 }],
  ];
  const cases = changing.flatMap(([what, switches]) =>
    commands.map(([name, args]) => [name, what, args, switches] as const),
  );

  test.for(cases)(
    "has the groups from the start in %s of a service that %s while others are created",
    ([name, , args, more]) =>
      inSituation({ switches: { maxPerPage: 7, ...more }, groups: 30 }, async (trial) => {
        const { rows } = trial.vendor.records.groups;
        const expected = rows
          .filter((row) => name !== "--search" || row.name!.includes("Group"))
          .map((row) => (name === "export" ? row.name! : String(row.id)));
        trial.vendor.tap = (moment) => {
          if (moment === "received") return;
          const { length } = trial.vendor.records.groups.rows;
          trial.vendor.seed({
            groups: [1, 2, 3].map((n) => ({ name: `New Group ${length + n}` })),
          });
        };
        const outcome = await trial.run(args);
        expect(outcome.exitCode, outcome.stderr).toBe(0);
        const shown = shownKeys(name, outcome.stdout);
        expect(shown).toEqual(expect.arrayContaining(expected));
        expect(new Set(shown).size).toBe(shown.length);
        // New groups come last in an ascending list, and an export reads other lists before the groups.
        const mayHaveMore = more.order === "ascending" || name === "export";
        expect(mayHaveMore || shown.length === expected.length).toBe(true);
      }),
  );

  const deleting: readonly (readonly [string, readonly string[], number])[] = commands
    .slice(0, 4)
    .map(([name, args]) => [name, args, ["-o jsonl", "-o id"].includes(name) ? 10 : 0] as const);

  test.for(deleting)("has every group that is not deleted, or fails, in %s", ([name, args, code]) =>
    inSituation({ switches: { maxPerPage: 7 }, groups: 30 }, async (trial) => {
      const { groups } = trial.vendor.records;
      let deletes = 0;
      trial.vendor.tap = (moment) => {
        if (moment === "received") return;
        deletes += 1;
        if (deletes <= 2) groups.remove(groups.rows.at(deletes === 1 ? -2 : 3)!);
      };
      const outcome = await trial.run(args);
      expect(outcome.exitCode, outcome.stderr).toBe(code);
      const kept = groups.rows.map(({ id }) => String(id));
      expect(kept).toHaveLength(28);
      if (code !== 0) return;
      const searched = groups.rows.filter((row) => row.name!.includes("Group"));
      const expected = name === "--search" ? searched.map(({ id }) => String(id)) : kept;
      expect(shownKeys(name, outcome.stdout).toSorted()).toEqual(expected.toSorted());
    }),
  );
});
