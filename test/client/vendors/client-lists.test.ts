import { describe, expect, test } from "vitest";
import { shownIds } from "./command-case.ts";
import { caseNamed, inSituation, judgedRun } from "./judge.ts";
import { stateOf } from "./state.ts";
import type { Switches } from "./switches.ts";

const all = ["group", "list", "--all", "--json"];

const services: readonly (readonly [string, Partial<Switches>, requests: readonly string[]])[] = [
  ["honours both", {}, ["?perPage=1000"]],
  [
    "caps perPage",
    { maxPerPage: 10 },
    ["?perPage=1000", "?perPage=1000&page=2", "?perPage=1000&page=3", "?perPage=1000&page=4"],
  ],
  [
    "refuses pages beyond the last",
    { maxPerPage: 10, pastTheEnd: "refused" },
    ["?perPage=1000", "?perPage=1000&page=2", "?perPage=1000&page=3", "?perPage=1000&page=4"],
  ],
  [
    "has a total that is one too small",
    { maxPerPage: 29, totalShortBy: 1 },
    ["?perPage=1000", "?perPage=1000&page=2"],
  ],
  [
    "refuses page, and long pages",
    { page: "refused", maxPerPage: 200, overMaxPerPage: "refused" },
    ["?perPage=1000", "", "?page=2", "?perPage=31"],
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
    ["?perPage=1000", "", "?page=2", "?perPage=30", "?perPage=60"],
  ],
];

describe.for(services)("a service that %s", ([, switches, requests]) => {
  test.for(["json", "jsonl"])("shows its whole list as %s", (format) =>
    inSituation({ switches, groups: 30 }, async (trial) => {
      const outcome = await trial.run([...all.slice(0, 3), "-o", format]);
      expect(outcome.exitCode, outcome.stderr).toBe(0);
      expect(shownIds(outcome.stdout)).toHaveLength(30);
      expect(new Set(shownIds(outcome.stdout)).size).toBe(30);
      const requested = outcome.requests.map(({ path }) => path.replace("/v1/group", ""));
      expect(requested).toStrictEqual(requests);
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
