import { describe, expect, test } from "vitest";
import { envelope, senderId } from "../sample-responses.ts";
import { runAgainst } from "../run-remote.ts";
import { inSituation } from "./judge.ts";
import type { Failure, Switches } from "./switches.ts";

function failing(kind: Failure["kind"], when: Failure["when"]): Pick<Switches, "failures"> {
  return { failures: [{ kind, when, on: "POST", nth: 1, repeats: false }] };
}

const fresh = {
  group: ["group", "create", "Fresh", "--send-birthday"],
  "sender ID": ["sender-id", "create", "Fresh", "--purpose", "Alerts"],
} as const;

/** Creates of records that already exist with the same fields. */
const again = {
  group: ["group", "create", "Group 1", "--send-birthday"],
  "sender ID": ["sender-id", "create", "ACME", "--purpose", "Order updates"],
} as const;

const nouns = Object.keys(fresh) as (keyof typeof fresh)[];
const kinds = ["connection lost", "gateway page", "empty response"] as const;

describe.for(nouns)("a create of a %s", (noun) => {
  test.for(kinds)("that succeeded is unknown, and its record is reported, after: %s", (kind) =>
    inSituation({ switches: failing(kind, "after") }, async (trial) => {
      const outcome = await trial.run([...fresh[noun], "--json"]);
      expect(outcome.exitCode, outcome.stderr).toBe(9);
      expect(outcome.methods.filter((method) => method === "POST")).toHaveLength(1);
      expect(outcome.stderr).toContain(`found the ${noun} named "Fresh"`);
    }),
  );

  test("that failed is not mistaken for an older record with the same fields", () =>
    inSituation({ switches: failing("connection lost", "before") }, async (trial) => {
      const outcome = await trial.run(again[noun]);
      expect(outcome.exitCode, outcome.stderr).toBe(9);
      expect(outcome.methods.filter((method) => method === "POST")).toHaveLength(1);
      expect(outcome.after).toStrictEqual(outcome.before);
      expect(outcome.stderr).toMatch(/^hint: .*sendctl/m);
    }));

  test("that the service itself refuses was not carried out", () =>
    inSituation({ switches: failing("own refusal", "before") }, async (trial) => {
      const outcome = await trial.run(fresh[noun]);
      expect(outcome.exitCode, outcome.stderr).toBe(8);
      expect(outcome.requests).toHaveLength(1);
      expect(outcome.stderr).toContain("Down for maintenance");
    }));

  test("that is stored differently exits with 10", () =>
    inSituation({ switches: { trims: true } }, async (trial) => {
      const args = fresh[noun].map((word) => (word === "Fresh" ? " Fresh" : word));
      const outcome = await trial.run(args);
      expect(outcome.exitCode, outcome.stderr).toBe(10);
      expect(outcome.stderr).toMatch(/name.*" Fresh".*"Fresh"/);
    }));
});

describe("--if-not-exists", () => {
  const create = ["sender-id", "create", "ACME", "--purpose", "Order updates", "--if-not-exists"];

  test("sends no create if the name is taken", () =>
    inSituation({}, async (trial) => {
      const outcome = await trial.run(create);
      expect(outcome.exitCode, outcome.stderr).toBe(0);
      expect(outcome.methods).toStrictEqual(["GET"]);
    }));

  test.for<Partial<Switches>>([
    {},
    { refusals: "always 200", refusalShape: "message" },
    { htmlNotFound: true },
  ])("creates a missing sender ID: %j", (switches) =>
    inSituation({ switches }, async (trial) => {
      const outcome = await trial.run(["sender-id", "create", "Fresh", ...create.slice(3)]);
      expect(outcome.exitCode, outcome.stderr).toBe(0);
      expect(outcome.methods).toStrictEqual(["GET", "POST"]);
    }),
  );

  test("shows the sender ID that another client created meanwhile", async () => {
    let fetches = 0;
    const result = await runAgainst(({ method }, { respond }) => {
      if (method === "POST") return respond(409, { status: false, message: "Taken", data: null });
      fetches += 1;
      return fetches === 1 ? respond(404) : respond(200, envelope(senderId));
    }, create);
    expect(result).toMatchObject({ exitCode: 0, violations: [] });
    expect(result.received).toHaveLength(3);
  });
});
