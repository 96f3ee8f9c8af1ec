import { expect, test } from "vitest";
import { inSituation } from "./judge.ts";
import type { Failure } from "./switches.ts";

const post = ["api", "POST", "/v1/group", "--body", '{"name":"Fresh"}', "--json"];

test.for([
  ["gateway page", 9, /^hint: .*sendctl api GET \/v1\/group/m],
  ["connection lost", 9, /^hint: .*sendctl api GET \/v1\/group/m],
  ["empty response", 9, /^hint: .*sendctl api GET \/v1\/group/m],
  ["own refusal", 8, /Down for maintenance/],
] as const)("api POST with a %s exits with %i", ([kind, exitCode, shown]) => {
  const when = kind === "own refusal" ? "before" : "after";
  const failures: Failure[] = [{ kind, when, on: "POST", nth: 1, repeats: false }];
  return inSituation({ switches: { failures } }, async (trial) => {
    const outcome = await trial.run(post);
    expect(outcome.exitCode, outcome.stderr).toBe(exitCode);
    expect(outcome.requests).toHaveLength(1);
    expect(outcome.stderr).toMatch(shown);
  });
});

test("api treats a refusal without data as a refusal", () => {
  const switches = { refusals: "always 200", refusalShape: "message" } as const;
  return inSituation({ switches }, async (trial) => {
    const outcome = await trial.run(["api", "GET", "/v1/group/777"]);
    expect(outcome.exitCode).toBe(6);
    expect(outcome.stderr).toContain("Record not found");
  });
});

test.for(["//elsewhere.example/v1/group", String.raw`/\elsewhere.example/v1/group`])(
  "api sends nothing to the host in %s",
  (path) =>
    inSituation({}, async (trial) => {
      const outcome = await trial.run(["api", "GET", path]);
      expect(outcome.exitCode).toBe(2);
      expect(outcome.requests).toStrictEqual([]);
    }),
);

test("the path of a base URL cannot lead to another host", () =>
  inSituation({}, async (trial) => {
    const baseUrl = `${trial.vendor.baseUrl}//elsewhere.example`;
    const outcome = await trial.run(["group", "list"], { baseUrl });
    expect(outcome.exitCode, outcome.stderr).toBe(2);
    expect(outcome.requests).toStrictEqual([]);
  }));
