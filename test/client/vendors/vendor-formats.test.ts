import { describe, expect, test } from "vitest";
import { groupNamed } from "./command-case.ts";
import { inSituation } from "./judge.ts";
import { stateOf } from "./state.ts";
import { threeVendors, vendorNames } from "./switches.ts";

const formats = ["table", "json", "jsonl", "csv", "yaml", "id"] as const;

const cells = vendorNames.flatMap((vendor) => formats.map((format) => [vendor, format] as const));

/** Exit codes for a missing record. */
const unknown = { laravel: 4, gateway: 6, strict: 4 };

describe.for(cells)("%s as %s", ([vendor, format]) => {
  const situation = { switches: threeVendors[vendor], groups: 30 };
  const output = ["-o", format];

  test.for([
    ["sender-id list --all", ["ACME", "Orders"]],
    ["sender-id fetch ACME", ["ACME"]],
    ["group list --all", ["Customers", "VIP", "Group 1", "Group 27"]],
    ["group fetch ID", ["Customers"]],
  ] as const)("%s", ([line, shown]) =>
    inSituation(situation, async (trial) => {
      const state = stateOf(trial.vendor.records);
      const idOf = (name: string): string => groupNamed(state, name).id;
      const args = line.split(" ").map((word) => (word === "ID" ? idOf("Customers") : word));
      const { exitCode, stdout, stderr } = await trial.run([...args, ...output]);
      expect(exitCode, stderr).toBe(0);
      const isOfIds = format === "id" && line.startsWith("group");
      for (const name of shown) expect(stdout).toContain(isOfIds ? idOf(name) : name);
    }),
  );

  test("a missing record", () =>
    inSituation(situation, async (trial) => {
      const { exitCode, stdout } = await trial.run(["sender-id", "fetch", "Nobody", ...output]);
      expect(exitCode).toBe(unknown[vendor]);
      // The error is in the service's body or in sendctl's.
      const shown = format === "json" ? Object.keys(JSON.parse(stdout) as object) : [stdout];
      expect(shown).toContain(format === "json" ? "error" : "");
    }));
});
