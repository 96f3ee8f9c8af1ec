import { assert, asyncProperty } from "fast-check";
import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { cases, timeout } from "../../support/fuzz-runs.ts";
import { anySituation, unusual } from "./any-switches.ts";
import { unless } from "./command-case.ts";
import { caseRows, inSituation, judgedRun } from "./judge.ts";
import { deltaOf, type State } from "./state.ts";
import type { Outcome } from "./try-command.ts";

/** Services per command: over 150 in all, and twenty times more with FUZZ=20. */
const combinations = 6;

const writing = caseRows.filter(([, { maxChanges }]) => maxChanges !== undefined);
const commands = writing.map((row, index) => [...row, index] as const);

/** Returns the records without what a record that is created again does not get back: ids and the sender ID of groups. */
const contentOf = ({ senderIds, groups }: State): string[] =>
  [
    ...senderIds.map(({ id: _id, ...record }) => record),
    ...groups.map(({ id: _id, sender_id: _sender, ...record }) => record),
  ]
    .map((record) => JSON.stringify(record))
    .toSorted();

function problemsOf(done: Outcome, undone: Outcome): string[] {
  const { exitCode, methods, before, after } = undone;
  const changed = deltaOf(done.before, done.after);
  const own = new Set(
    [...Object.values(changed).flat(), ...changed.removedGroups].map(({ id }) => id),
  );
  const { removedGroups, removedSenderIds, changedGroups } = deltaOf(before, after);
  const others = [...removedGroups, ...removedSenderIds, ...changedGroups];
  return [
    ...unless(
      others.every(({ id }) => own.has(id)),
      "a record that the command had not changed was changed",
    ),
    ...unless(
      exitCode !== 12 || methods.every((method) => method === "GET"),
      "a refused undo sent a write",
    ),
    ...unless(exitCode !== 1, "a defect"),
    ...(exitCode === 0
      ? [...missingOf(done.before, after), ...missingOf(after, done.before, "is still there")]
      : []),
  ];
}

function missingOf(wanted: State, found: State, problem = "is not there again"): string[] {
  const rest = contentOf(found);
  return contentOf(wanted).flatMap((record) => {
    const place = rest.indexOf(record);
    if (place >= 0) rest.splice(place, 1);
    return place >= 0 ? [] : [`${record} ${problem}`];
  });
}

describe("against any service, undo restores what the command found, or says that it did not", () => {
  test.for(commands)("%s", timeout, ([, command, index]) => {
    const { seed, ...rest } = cases(combinations);
    return assert(
      asyncProperty(anySituation, (situation) =>
        inSituation(situation, async (trial) => {
          const done = await judgedRun(trial, command, situation);
          const undone = await trial.run(["undo", "--yes", "--json"]);
          const problems = problemsOf(done, undone);
          const { exitCode, stdout, stderr, requests } = undone;
          const seen = {
            switches: unusual(situation.switches),
            done: { exitCode: done.exitCode, stderr: done.stderr },
            delta: deltaOf(done.before, done.after),
            undone: { exitCode, stdout, stderr, requests },
          };
          expect(problems, inspect(seen, { depth: 5 })).toStrictEqual([]);
        }),
      ),
      {
        ...rest,
        includeErrorInReport: true,
        ...(seed === undefined ? {} : { seed: seed + index }),
      },
    );
  });
});

test.for([
  ["newest", 0],
  ["oldest", 10],
] as const)(
  "of several sender IDs with a name, of which the service deletes the %s, undo deletes its own or none",
  ([namesake, exitCode]) =>
    inSituation({ switches: { namesake } }, async ({ run }) => {
      const done = await run(["sender-id", "create", "ACME", "--purpose", "Alerts"]);
      const undone = await run(["undo", "--yes"]);
      expect(undone).toMatchObject({
        exitCode,
        after: exitCode === 0 ? done.before : done.after,
      });
    }),
);

const longIds = { firstId: 9_007_199_254_740_993n };

test.for([
  ["sender ID with a long id", longIds, ["sender-id", "create", "New", "--purpose", "X"], 0],
  // A fetch does not show how many contacts it has.
  ["group with a long id", longIds, ["group", "create", "New"], 12],
  [
    "group whose id is a text",
    { idsAsText: true },
    ["api", "POST", "/v1/group", "--body", '{"name":"New"}'],
    12,
  ],
] as const)("undo finds a new %s before a list shows it", ([, switches, words, exitCode]) =>
  inSituation({ switches: { ...switches, listLag: 3 } }, async ({ run }) => {
    const done = await run(words);
    const after = exitCode === 0 ? done.before : done.after;
    expect(await run(["undo", "--yes"])).toMatchObject({ exitCode, after });
  }),
);

test("a create whose response is lost is not taken for the deleted record that a copy still shows", () =>
  inSituation(
    {
      switches: {
        replicaLag: 3000,
        failures: [{ kind: "gateway page", when: "before", on: "POST", nth: 1, repeats: false }],
      },
    },
    async ({ run }) => {
      expect(await run(["sender-id", "delete", "ACME", "--yes"])).toMatchObject({ exitCode: 0 });
      expect(await run(["undo", "--yes"])).toMatchObject({ exitCode: 9 });
    },
  ));
