import * as fc from "fast-check";
import { expect, test } from "vitest";
import { operations } from "../../src/contract/operations.ts";
import { step, type Step, type Text } from "../engine/model/model-steps.ts";
import { cases, timeout } from "../support/fuzz-runs.ts";
import { runSteps, type Request, type ComparableReply } from "./run-steps.ts";
import { openInProcess, openOverSocket } from "./transports.ts";

/** Sender IDs that exist at the start. */
const names = ["ACME", "1", "a/b ?#%", "😀", "%2F"];

const creates = names.map((name): Request => {
  const body = { name, purpose: "Alerts" };
  return { by: "owner", operation: "sender-id.create", input: { body } };
});

/** Returns a text as runSteps resolves it. */
function textOf(text: Text = { text: "" }): string {
  if ("text" in text) return text.text;
  const number = String(text.nth + 1);
  if (text.remembered === "name") return names[text.nth]!;
  return text.remembered.toLowerCase() === "uuid" ? `uuid:${number}` : number;
}

const inUrl = (value: unknown): boolean =>
  typeof value === "number" || (typeof value === "string" && value.isWellFormed());

/** Returns a step of the model as a request; none if HTTP cannot carry it. */
function requestsOf(step: Step): readonly Request[] {
  if (typeof step === "string" || "contactOf" in step) return [];
  const { operation, caller, sender, query = {} } = step;
  const given = step.name ?? step.id;
  const key = textOf(given);
  if (given !== undefined && (key === "" || !inUrl(key))) return [];
  if (!Object.values(query).every(inUrl)) return [];
  const path = step.name === undefined ? { id: key } : { name: key };
  const body = sender === undefined ? step.body : { sender_id: textOf(sender) };
  return [{ by: caller === 0 ? "owner" : "other", operation, input: { path, body, query } }];
}

const anySteps = fc
  .array(step, { minLength: 20, maxLength: 40, size: "max" })
  .map((steps) => [...creates, ...steps.flatMap(requestsOf)]);

/** Runs steps over both transports, each on a new database. */
async function runBoth(
  steps: readonly Request[],
): Promise<[direct: ComparableReply[], remote: ComparableReply[]]> {
  const inProcess = await openInProcess();
  const overSocket = await openOverSocket();
  try {
    const direct = await runSteps(inProcess, steps);
    const remote = await runSteps(overSocket, steps);
    // A uuid that is not found is looked up in the list.
    const most = steps.length + remote.filter(({ status }) => status === 404).length;
    expect(overSocket.served.length).toBeGreaterThanOrEqual(steps.length);
    expect(overSocket.served.length).toBeLessThanOrEqual(most);
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
  await fc.assert(property, cases(25));
  const all = Object.keys(operations).flatMap((name) => [`${name} done`, `${name} refused`]);
  expect([...seen].toSorted()).toEqual(all.toSorted());
});
