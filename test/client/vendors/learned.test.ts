import { beforeAll, describe, expect, test } from "vitest";
import { usualSeed } from "./command-case.ts";
import { caseRows, inSituation, judgedRun, type Judged } from "./judge.ts";
import { comparable, learn, serving } from "./served-trial.ts";
import { plain, threeVendors, vendorNames, type Switches } from "./switches.ts";
import type { StartTarget } from "./try-command.ts";

/**
 * Exit codes of the vendor and of the server where they differ: names and texts follow rulings 5, 7 and 8, and statuses of
 * refusals ruling 3, which have no switches.
 */
const differing: Readonly<Record<string, readonly [number, number]>> = {
  "laravel: sender-id create, padded": [10, 6],
  "laravel: sender-id create, taken": [6, 5],
  "laravel: sender-id create, the same again": [6, 5],
  "laravel: group create, padded": [10, 0],
  "laravel: group create, taken": [6, 5],
  "laravel: group update --birthday-message, padded": [10, 0],
  "gateway: sender-id create, padded": [0, 6],
  "gateway: sender-id create, taken": [0, 6],
  "gateway: sender-id create, the same again": [0, 6],
  "strict: sender-id create, padded": [0, 6],
};

describe.for(vendorNames)("a server with the behaviour learned from the vendor %s", (vendor) => {
  // Failures and rate limits are injected with other options.
  const switches: Switches = { ...plain, ...threeVendors[vendor], rate: undefined, failures: [] };
  const situation = { switches, groups: 30 };
  let start: StartTarget;

  beforeAll(async () => {
    start = serving(await learn(switches, usualSeed(switches, situation.groups, false)));
  });

  test.for(caseRows)("has the same exit code and records: %s", async ([name, command]) => {
    const run = (started?: StartTarget): Promise<Judged> =>
      inSituation(situation, (trial) => judgedRun(trial, command, situation), started);
    const [real, served] = [await run(), await run(start)];
    const seen = `${real.stderr}---\n${served.stderr}`;
    const codes = [real.exitCode, served.exitCode];
    const differs = differing[`${vendor}: ${name}`];
    expect(codes, seen).toStrictEqual(differs ?? [real.exitCode, real.exitCode]);
    if (differs !== undefined) return;
    const records = comparable(served.after, real.before);
    expect(records, seen).toStrictEqual(comparable(real.after, real.before));
  });
});
