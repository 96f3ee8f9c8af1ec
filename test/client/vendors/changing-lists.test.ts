import { describe, expect, test } from "vitest";
import { shownIds } from "./command-case.ts";
import { inSituation } from "./judge.ts";
import type { Switches } from "./switches.ts";
import type { Vendor } from "./vendor-service.ts";

const commands: readonly (readonly [string, readonly string[]])[] = [
  ["--json", ["group", "list", "--all", "--json"]],
  ["-o jsonl", ["group", "list", "--all", "-o", "jsonl"]],
  ["-o id", ["group", "list", "--all", "-o", "id"]],
  ["--search", ["group", "list", "--search", "Group", "--json"]],
  ["export", ["export", "-o", "json"]],
];

/** Returns the ids, or for an export the names, of the groups in an output. */
function shownKeys(name: string, stdout: string): string[] {
  if (name === "-o id") return stdout.trim().split("\n");
  if (name !== "export") return shownIds(stdout).map(String);
  const { groups } = JSON.parse(stdout) as { groups: readonly { readonly name: string }[] };
  return groups.map((group) => group.name);
}

const create = (vendor: Vendor): void => {
  const first = vendor.records.groups.rows.length;
  vendor.seed({ groups: [1, 2, 3].map((n) => ({ name: `New Group ${first + n}` })) });
};

const services: readonly (readonly [string, Partial<Switches>])[] = [
  ["limits the page size", { maxPerPage: 7 }],
  ["writes ids as text", { maxPerPage: 7, idsAsText: true }],
  ["has large ids", { maxPerPage: 7, firstId: 9_007_199_254_740_990n }],
  ["refuses pages past the end", { maxPerPage: 7, pastTheEnd: "refused" }],
  ["lists the oldest first", { maxPerPage: 7, order: "ascending" }],
];

describe.for(services)("a service that %s", ([, switches]) => {
  test.for(commands)(
    "has the groups from the start in %s while others are created",
    ([name, args]) =>
      inSituation({ switches, groups: 30 }, async (trial) => {
        const { rows } = trial.vendor.records.groups;
        const before = rows.map((row) => (name === "export" ? row.name! : String(row.id)));
        const searched = rows.map((row) => row.name!.includes("Group"));
        const expected = before.filter((_, index) => name !== "--search" || searched[index]);
        trial.vendor.tap = (moment) => {
          if (moment === "ready") create(trial.vendor);
        };
        const outcome = await trial.run(args);
        expect(outcome.exitCode, outcome.stderr).toBe(0);
        const shown = shownKeys(name, outcome.stdout);
        expect(shown).toEqual(expect.arrayContaining(expected));
        expect(new Set(shown).size).toBe(shown.length);
        // New groups come last in an ascending list, and an export reads other lists before the groups.
        const mayHaveMore = switches.order === "ascending" || name === "export";
        expect(mayHaveMore || shown.length === expected.length).toBe(true);
      }),
  );
});

test.for(commands.slice(0, 3))("%s has every group that is not deleted", ([name, args]) =>
  inSituation({ switches: { maxPerPage: 7 }, groups: 30 }, async (trial) => {
    const before = trial.vendor.records.groups.rows.map(({ id }) => id);
    let deletes = 0;
    const { groups } = trial.vendor.records;
    trial.vendor.tap = (moment) => {
      if (moment === "received") return;
      deletes += 1;
      if (deletes <= 2) groups.remove(groups.rows.at(deletes === 1 ? -2 : 3)!);
    };
    const outcome = await trial.run(args);
    expect(outcome.exitCode, outcome.stderr).toBe(0);
    const kept = trial.vendor.records.groups.rows.map(({ id }) => String(id));
    expect(kept.length).toBeLessThan(before.length);
    expect(shownKeys(name, outcome.stdout)).toEqual(expect.arrayContaining(kept));
  }),
);
