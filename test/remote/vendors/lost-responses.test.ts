import { describe, expect, test } from "vitest";
import { timeout } from "../../fuzz/fuzz-runs.ts";
import { everyCase, inSituation, judgedRun, type Judged } from "./judge.ts";
import { openUnreliableRelay } from "../unreliable-relay.ts";
import { threeVendors, vendorNames } from "./three-vendors.ts";

const commands = everyCase.map((one) => [one.name, one] as const);

describe.for(vendorNames)("%s: each response is lost in turn", (vendor) => {
  const calm = { failures: [], rate: undefined };
  const situation = {
    switches: { ...threeVendors[vendor], ...calm },
    groups: 30,
    hasNamesakes: true,
  };

  test.for(commands)("%s", timeout, async ([, command]) => {
    const loseOne = (nth: number): Promise<readonly [passed: number, judged: Judged]> =>
      inSituation(situation, async (trial) => {
        const relay = await openUnreliableRelay(trial.vendor.baseUrl, nth, "lost");
        try {
          const judged = await judgedRun(trial, command, situation, relay.baseUrl);
          return [relay.count(), judged];
        } finally {
          await relay.close();
        }
      });
    const [requests] = await loseOne(0);
    for (let nth = 1; nth <= requests; nth += 1) {
      const [, { problems, stderr }] = await loseOne(nth);
      expect(problems, `response ${nth} of ${requests} was lost: ${stderr}`).toStrictEqual([]);
    }
  });
});
