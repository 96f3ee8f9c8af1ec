import * as fc from "fast-check";
import { expect, test } from "vitest";
import { operations } from "../../src/contract/operations.ts";
import { anySteps } from "./arbitrary-steps.ts";
import { runSteps, type Request, type ComparableReply } from "./run-steps.ts";
import { openInProcess, openOverSocket } from "./transports.ts";

/** The replies of both ways, each on a new database. */
async function bothWays(
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

test("whatever is asked, both ways reply the same", { timeout: 60_000 }, async () => {
  /** What was met, so that inputs which only ever are refused don't pass for a proof. */
  const met = new Set<string>();
  const property = fc.asyncProperty(anySteps, async (steps) => {
    const [direct, remote] = await bothWays(steps);
    expect(remote).toEqual(direct);
    for (const [index, { status, text, envelope }] of remote.entries()) {
      expect(envelope).toBe(text);
      met.add(`${steps[index]!.operation} ${status < 300 ? "done" : "refused"}`);
    }
  });
  // No limit of time: a run that is cut off would leave its server and its database behind.
  await fc.assert(property, { numRuns: 40 });
  const all = Object.keys(operations).flatMap((name) => [`${name} done`, `${name} refused`]);
  expect([...met].toSorted()).toEqual(all.toSorted());
});
