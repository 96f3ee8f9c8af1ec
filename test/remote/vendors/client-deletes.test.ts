import { describe, expect, test } from "vitest";
import { envelope, senderId } from "../sample-responses.ts";
import { runAgainst } from "../run-remote.ts";
import { groupNamed } from "./command-case.ts";
import { inSituation } from "./judge.ts";
import { stateOf } from "./state.ts";
import type { Failure, Switches } from "./switches.ts";
import type { Outcome } from "./try-command.ts";

const methodsOf = ({ requests }: Outcome): string[] => requests.map(({ method }) => method);

const kinds = ["connection lost", "gateway page"] as const;

function failing(kind: Failure["kind"], when: Failure["when"]): Partial<Switches> {
  return { failures: [{ kind, when, on: "DELETE", nth: 1, repeats: false }] };
}

const removal = ["sender-id", "delete", "Twins", "--yes"];

describe.for(kinds)("a delete by name with a %s", (kind) => {
  test("is not repeated if another record has the name", () => {
    const situation = { switches: failing(kind, "after"), groups: 4, hasNamesakes: true };
    return inSituation(situation, async (trial) => {
      const outcome = await trial.run(removal);
      expect(outcome.exitCode, outcome.stderr).toBe(9);
      expect(methodsOf(outcome)).toStrictEqual(["GET", "DELETE", "GET"]);
      expect(outcome.after.senderIds).toHaveLength(outcome.before.senderIds.length - 1);
    });
  });

  test("is repeated if the same record still exists", () => {
    const situation = { switches: failing(kind, "before"), groups: 4, hasNamesakes: true };
    return inSituation(situation, async (trial) => {
      const outcome = await trial.run(removal);
      expect(outcome.exitCode, outcome.stderr).toBe(0);
      expect(methodsOf(outcome)).toStrictEqual(["GET", "DELETE", "GET", "DELETE"]);
      expect(outcome.after.senderIds).toHaveLength(outcome.before.senderIds.length - 1);
    });
  });

  const absences: readonly Partial<Switches>[] = [
    { deletedStatus: 404 },
    { deletedStatus: 410 },
    { refusals: "always 200", refusalShape: "message" },
  ];
  test.for(absences)("succeeds if the name no longer exists: %j", (absence) => {
    const switches = { ...failing(kind, "after"), ...absence };
    return inSituation({ switches, groups: 4 }, async (trial) => {
      const outcome = await trial.run(["sender-id", "delete", "ACME", "--yes"]);
      expect(outcome.exitCode, outcome.stderr).toBe(0);
      expect(methodsOf(outcome)).toStrictEqual(["GET", "DELETE", "GET"]);
      expect(outcome.stderr).toContain("no longer exists");
    });
  });

  test.for(["/v1/sender-id/Twins", "/v1/group/3"])("is unknown by api: %s", (path) => {
    const situation = { switches: failing(kind, "after"), groups: 4, hasNamesakes: true };
    return inSituation(situation, async (trial) => {
      const outcome = await trial.run(["api", "DELETE", path]);
      expect(outcome.exitCode, outcome.stderr).toBe(9);
      expect(methodsOf(outcome)).toStrictEqual(["DELETE"]);
    });
  });
});

describe.for(kinds)("a delete of a group with a %s", (kind) => {
  const refusals = ["by status", "always 200"] as const;
  test.for(refusals)("is done if a fetch finds nothing: refusals %s", (refusal) =>
    inSituation(
      { switches: { ...failing(kind, "after"), refusals: refusal }, groups: 4 },
      async (trial) => {
        const { id } = groupNamed(stateOf(trial.vendor.records), "VIP");
        const outcome = await trial.run(["group", "delete", id, "--yes"]);
        expect(outcome.exitCode, outcome.stderr).toBe(0);
        expect(methodsOf(outcome)).toStrictEqual(["GET", "DELETE", "GET"]);
        expect(outcome.stderr).toContain("no longer exists");
      },
    ),
  );
});

test("a confirmed delete compares the record with the one that was confirmed", async () => {
  const result = await runAgainst(
    ({ method }, { respond }) => respond(200, envelope(method === "GET" ? senderId : null)),
    ["sender-id", "delete", "ACME"],
    { terminal: 80, keys: "y\r" },
  );
  expect(result).toMatchObject({ exitCode: 0 });
  const path = "/v1/sender-id/ACME";
  expect(result.requests).toStrictEqual([`GET ${path}`, `GET ${path}`, `DELETE ${path}`]);
});
