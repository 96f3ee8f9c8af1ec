import * as fc from "fast-check";
import { expect, test } from "vitest";
import { operations } from "../../src/contract/operations.ts";
import { cases, timeout } from "../support/fuzz-runs.ts";
import { anySteps } from "./arbitrary-steps.ts";
import { runSteps, type Request, type ComparableReply } from "./run-steps.ts";
import { openInProcess, openOverSocket } from "./transports.ts";

/** Runs steps over both transports, each on a new database. */
async function runBoth(
  steps: readonly Request[],
): Promise<[direct: ComparableReply[], remote: ComparableReply[]]> {
  const inProcess = await openInProcess();
  const overSocket = await openOverSocket();
  try {
    const direct = await runSteps(inProcess, steps);
    const remote = await runSteps(overSocket, steps);
    expect(overSocket.served).toHaveLength(steps.length);
    expect(overSocket.complaints).toEqual([]);
    return [direct, remote];
  } finally {
    await inProcess.close();
    await overSocket.close();
  }
}

test("both transports reply the same to any requests", timeout, async () => {
  /** Outcomes seen, to prove that the inputs are not all refused. */
  const seen = new Set<string>();
  const property = fc.asyncProperty(anySteps, async (steps) => {
    const [direct, remote] = await runBoth(steps);
    expect(remote).toEqual(direct);
    for (const [index, { status, text, envelope }] of remote.entries()) {
      expect(envelope).toBe(text);
      seen.add(`${steps[index]!.operation} ${status < 300 ? "done" : "refused"}`);
    }
  });
  // Without a time limit: an interrupted run would leave its server and its database behind.
  await fc.assert(property, cases(15));
  const all = Object.keys(operations).flatMap((name) => [`${name} done`, `${name} refused`]);
  expect([...seen].toSorted()).toEqual(all.toSorted());
});
