import { describe, expect, test } from "vitest";
import { shownIds } from "./command-case.ts";
import { inSituation } from "./judge.ts";
import type { Switches } from "./switches.ts";

const all = ["group", "list", "--all", "--json"];

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
