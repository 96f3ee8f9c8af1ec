import { expect, test } from "vitest";
import { caseNamed, inSituation, judgedRun } from "./judge.ts";
import { stateOf } from "./state.ts";
import type { Rate } from "./switches.ts";

const headers: readonly Rate["header"][] = [
  "Retry-After",
  "Retry-After date",
  "X-RateLimit",
  "none",
];

test.for(headers)("few requests of an apply exceed a rate limit with header %s", (header) => {
  const rate = { requests: 5, window: 1000, header };
  const situation = { switches: { rate } };
  return inSituation(situation, async (trial) => {
    const { exitCode, requests, stderr } = await judgedRun(trial, caseNamed("apply"), situation);
    expect(exitCode, stderr).toBe(0);
    const limited = requests.filter(({ status }) => status === 429).length;
    // Without a hint when to retry, it takes more attempts to find out.
    expect(limited / requests.length).toBeLessThan(header === "none" ? 1 / 2 : 1 / 3);
  });
});

test.for(headers)("40 groups are deleted under a rate limit with header %s", (header) => {
  const rate = { requests: 5, window: 1000, header };
  return inSituation({ switches: { rate }, groups: 40 }, async (trial) => {
    const ids = stateOf(trial.vendor.records).groups.map(({ id }) => id);
    const { exitCode, stderr, after } = await trial.run(["group", "delete", ...ids, "--yes"]);
    expect(exitCode, stderr).toBe(0);
    expect(after.groups).toStrictEqual([]);
  });
});

test("40 groups are deleted under a rate limit that answers 503", () => {
  const rate = { requests: 5, window: 1000, header: "Retry-After", status: 503 } as const;
  return inSituation({ switches: { rate }, groups: 40 }, async (trial) => {
    const ids = stateOf(trial.vendor.records).groups.map(({ id }) => id);
    const { exitCode, stderr, after } = await trial.run(["group", "delete", ...ids, "--yes"]);
    expect(exitCode, stderr).toBe(0);
    expect(after.groups).toStrictEqual([]);
  });
});
