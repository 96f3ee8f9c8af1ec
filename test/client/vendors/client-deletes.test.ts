import { describe, expect, test } from "vitest";
import { envelope, senderId } from "../sample-responses.ts";
import { runAgainst } from "../run-remote.ts";
import { inSituation } from "./judge.ts";
import type { Failure, Switches } from "./switches.ts";

const removal = ["sender-id", "delete", "Twins", "--yes"];
const always200 = { refusals: "always 200", refusalShape: "message" } as const;

type Row = readonly [
  what: string,
  when: Failure["when"],
  switches: Partial<Switches>,
  args: readonly string[],
  exitCode: number,
  methods: readonly string[],
];

const acme = ["sender-id", "delete", "ACME", "--yes"];
const looked = ["GET", "DELETE", "GET"];
const rows: readonly Row[] = [
  ["is not repeated if another record has the name", "after", {}, removal, 9, looked],
  ["is repeated if the same record exists", "before", {}, removal, 0, [...looked, "DELETE"]],
  ["is done if the name is gone (404)", "after", { deletedStatus: 404 }, acme, 0, looked],
  ["is done if the name is gone (410)", "after", { deletedStatus: 410 }, acme, 0, looked],
  ["is done if the name is gone (200)", "after", always200, acme, 0, looked],
  ["is done if the id is gone", "after", {}, ["group", "delete", "3", "--yes"], 0, looked],
  [
    "is done if the id is gone (200)",
    "after",
    always200,
    ["group", "delete", "3", "-y"],
    0,
    looked,
  ],
  [
    "is unknown by api: a name",
    "after",
    {},
    ["api", "DELETE", "/v1/sender-id/Twins"],
    9,
    ["DELETE"],
  ],
  ["is unknown by api: an id", "after", {}, ["api", "DELETE", "/v1/group/3"], 9, ["DELETE"]],
];

describe.for(["connection lost", "gateway page"] as const)("a delete with a %s", (kind) => {
  test.for(rows)("%s", ([, when, more, args, exitCode, methods]) => {
    const failures: Failure[] = [{ kind, when, on: "DELETE", nth: 1, repeats: false }];
    const situation = { switches: { failures, ...more }, hasNamesakes: true };
    return inSituation(situation, async (trial) => {
      const { before, after, ...outcome } = await trial.run(args);
      expect(outcome.exitCode, outcome.stderr).toBe(exitCode);
      expect(outcome.methods).toStrictEqual(methods);
      const count = ({ senderIds, groups }: typeof after): number =>
        senderIds.length + groups.length;
      expect(count(after)).toBe(count(before) - 1);
      const isConcluded = exitCode === 0 && when === "after";
      expect(outcome.stderr.includes("no longer exists")).toBe(isConcluded);
    });
  });
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
