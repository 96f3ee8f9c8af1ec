import { describe, expect, test } from "vitest";
import { timeout } from "../../fuzz/fuzz-runs.ts";
import { caseRows, inSituation, judgedRun, type Judged } from "./judge.ts";
import { threeVendors, vendorNames, type Failure } from "./switches.ts";

describe.for(vendorNames)("%s: each response is lost in turn", (vendor) => {
  test.for(caseRows)("%s", timeout, async ([, command]) => {
    const loseOne = (nth: number): Promise<Judged> => {
      const kind = "connection lost";
      const lost: Failure = { kind, when: "after", on: "all", nth, repeats: false };
      const switches = { ...threeVendors[vendor], failures: [lost], rate: undefined };
      const situation = { switches, groups: 30, hasNamesakes: true };
      return inSituation(situation, (trial) => judgedRun(trial, command, situation));
    };
    const { length } = (await loseOne(0)).requests;
    for (let nth = 1; nth <= length; nth += 1) {
      const { problems, stderr } = await loseOne(nth);
      expect(problems, `response ${nth} of ${length} was lost: ${stderr}`).toStrictEqual([]);
    }
  });
});
