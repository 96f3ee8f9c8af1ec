import { describe, expect, test } from "vitest";
import { unless } from "./command-case.ts";
import { caseRows, inSituation, judgedRun, type Judged, type Situation } from "./judge.ts";
import { know, readyMade } from "./known-behaviour.ts";
import { threeVendors, vendorNames, type Switches } from "./switches.ts";

/** Refusal by a service that is unknown, and done once the kind of key that it takes is known. */
const better: ReadonlySet<string> = new Set([
  "laravel: group update --sender-id, a name",
  "strict: group update --sender-id, an id",
]);

const lists = ["apply", "apply, nothing to change", "diff, nothing to change", "diff", "export"];
const strict = ["sender-id list --all", "group list --all", ...lists];

/** Cases that save requests, for each vendor and number of groups. The gateway shows up to 50 groups. */
const saving: Readonly<Record<string, readonly string[]>> = {
  "laravel, 30": [],
  "laravel, 60": [],
  "gateway, 30": ["apply"],
  "gateway, 60": ["group list --all", ...lists],
  "strict, 30": strict,
  "strict, 60": strict,
};

const situations = vendorNames.flatMap((vendor) =>
  [60, 30].map((groups) => [vendor, groups] as const),
);

describe.for(situations)("the ready-made behaviour of the vendor %s, %i groups", (one) => {
  const [vendor, groups] = one;
  const switches: Partial<Switches> = { ...threeVendors[vendor], rate: undefined, failures: [] };
  const situation: Situation = { switches, groups, hasNamesakes: true };
  const saved: string[] = [];

  test.for(caseRows)("changes nothing but the number of requests: %s", async ([name, command]) => {
    const run = (isKnown: boolean): Promise<Judged> =>
      inSituation(situation, async (trial) => {
        if (isKnown) await know(trial, readyMade(vendor));
        return judgedRun(trial, command, situation);
      });
    const [unknown, known] = [await run(false), await run(true)];
    const isBetter = better.has(`${vendor}: ${name}`);
    expect(known.exitCode, known.stderr).toBe(isBetter ? 0 : unknown.exitCode);
    const problems = [
      ...(isBetter ? [] : [...known.problems, ...unless(sameRecords(known, unknown), "records")]),
      ...unless(
        isBetter || known.requests.length <= unknown.requests.length,
        `${known.requests.length} requests, not ${unknown.requests.length}`,
      ),
    ];
    expect(problems, known.stderr).toStrictEqual([]);
    if (known.requests.length < unknown.requests.length) saved.push(name);
  });

  test("saves requests", () => {
    expect(saved).toStrictEqual(saving[`${vendor}, ${groups}`]);
  });
});

function sameRecords(one: Judged, other: Judged): boolean {
  return JSON.stringify(one.after) === JSON.stringify(other.after);
}
