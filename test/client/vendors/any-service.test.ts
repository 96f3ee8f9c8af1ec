import { assert, asyncProperty } from "fast-check";
import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { cases, timeout } from "../../support/fuzz-runs.ts";
import { anySituation, unusual } from "./any-switches.ts";
import { caseRows, inSituation, judgedRun } from "./judge.ts";

/** Combinations of switches per command: 300 in all, and twenty times more with FUZZ=20. */
const combinations = 6;

const commands = caseRows.map((row, index) => [...row, index] as const);

describe("against any service, a command ends in the right state or reports that it may not", () => {
  test.for(commands)("%s", timeout, ([, command, index]) => {
    const { seed, ...rest } = cases(combinations);
    return assert(
      asyncProperty(anySituation, (situation) =>
        inSituation(situation, async (trial) => {
          const judged = await judgedRun(trial, command, situation);
          const { exitCode, stdout, stderr, requests, problems } = judged;
          const seen = {
            switches: unusual(situation.switches),
            exitCode,
            stdout,
            stderr,
            requests,
          };
          expect(problems, inspect(seen, { depth: 5 })).toStrictEqual([]);
        }),
      ),
      // A different seed per command varies the services.
      {
        ...rest,
        includeErrorInReport: true,
        ...(seed === undefined ? {} : { seed: seed + index }),
      },
    );
  });
});
