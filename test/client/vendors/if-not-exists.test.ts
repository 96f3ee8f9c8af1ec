import { describe, expect, test } from "vitest";
import { envelope, senderId } from "../sample-responses.ts";
import { runAgainst } from "../run-remote.ts";
import { inSituation } from "./judge.ts";
import type { Switches } from "./switches.ts";

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
