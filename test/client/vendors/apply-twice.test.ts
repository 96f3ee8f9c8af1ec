import { expect, test } from "vitest";
import { caseNamed, inSituation, judgedRun } from "./judge.ts";
import { threeVendors, vendorNames } from "./switches.ts";

const apply = caseNamed("apply");

test.for(vendorNames)("%s: a manifest of 30 groups, applied twice", (vendor) => {
  const situation = { switches: threeVendors[vendor] };
  return inSituation(situation, async (trial) => {
    // A service that loses every third response may lose all attempts of a write.
    let first = await judgedRun(trial, apply, situation);
    for (let runs = 1; first.exitCode === 9 && runs < 3; runs += 1) {
      expect(first.problems, first.stderr).toStrictEqual([]);
      first = await judgedRun(trial, apply, situation);
    }
    expect([first.exitCode, ...first.problems], first.stderr).toStrictEqual([0]);
    const second = await judgedRun(trial, apply, situation);
    expect([second.exitCode, ...second.problems], second.stderr).toStrictEqual([0]);
    expect([...new Set(second.methods)]).toStrictEqual(["GET"]);
  });
});

test.for(vendorNames)("%s: records missing from lagging lists are not created again", (vendor) => {
  const switches = { ...threeVendors[vendor], failures: [], listLag: 20 };
  return inSituation({ switches }, async (trial) => {
    const manifest = {
      sender_ids: [{ name: "Lagging", purpose: "Orders" }],
      groups: [{ name: "Lagging 1" }, { name: "Lagging 2", birthday_message: "hi" }],
    };
    const args = ["apply", "-f", "manifest.json", "--yes"];
    const first = await trial.run(args, { manifest });
    expect(first.exitCode, first.stderr).toBe(0);
    const second = await trial.run(args);
    expect(second.exitCode, second.stderr).toBe(12);
    expect(second.stderr).toMatch(/group Lagging 1 was created \d s ago \(id \d+\)/);
    expect([...new Set(second.methods)], second.stderr).toStrictEqual(["GET"]);
  });
});

test("records deleted since the last apply are created again", () =>
  inSituation({}, async (trial) => {
    const manifest = { groups: [{ name: "Short-lived" }] };
    const args = ["apply", "-f", "manifest.json", "--yes"];
    const { after } = await trial.run(args, { manifest });
    await trial.run(["group", "delete", after.groups.at(-1)!.id, "--yes"]);
    const second = await trial.run(args);
    expect(second.exitCode, second.stderr).toBe(0);
    expect(second.after.groups.at(-1)!.name).toBe("Short-lived");
  }));

test.for(vendorNames)("%s: values that a service stores differently are not sent again", (vendor) =>
  inSituation({ switches: { ...threeVendors[vendor], trims: true } }, async (trial) => {
    const manifest = { groups: [{ name: "Customers", birthday_message: "  hi " }] };
    const args = ["apply", "-f", "manifest.json", "--yes"];
    const first = await trial.run(args, { manifest });
    expect(first.exitCode, first.stderr).toBe(10);
    expect(first.methods).toContain("PUT");
    const second = await trial.run(args);
    expect([...new Set(second.methods)], second.stderr).toStrictEqual(["GET"]);
  }),
);
