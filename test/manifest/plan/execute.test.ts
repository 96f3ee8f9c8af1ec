import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { throwingRefusals } from "../../../src/service/refusals.ts";
import { serviceOf, type Reply } from "../../../src/contract/service.ts";
import { execute } from "../../../src/manifest/plan/execute.ts";
import type { Step } from "../../../src/manifest/plan/plan.ts";
import { nowhere } from "./plan-fixtures.ts";

const count = 200;
/** Maximum number of concurrent requests. */
const lanes = 16;

const steps = Array.from({ length: count }, (_, index): Step => ({
  action: "create",
  kind: "group",
  desired: { name: `Group ${index}`, location: nowhere },
}));

/** Returns the reply to a create. */
const reply = (status: number, name: string): Reply => ({
  status,
  text: "",
  envelope: { status: status < 400, message: "", data: { id: 1, name } },
});

interface Waiting {
  readonly name: string;
  readonly resolve: (reply: Reply) => void;
}

/** Creates 200 groups in a service whose replies the test sends one by one, in the order of the requests. */
async function executeByHand() {
  const waiting: Waiting[] = [];
  const service = throwingRefusals(
    serviceOf(
      () =>
        ({ body }: { readonly body?: { readonly name?: unknown } }) =>
          new Promise<Reply>((resolve) => waiting.push({ name: String(body?.name), resolve })),
    ),
  );
  const executed = execute(steps, {
    service,
    isListed: () => false,
    warn: async () => {},
    report: async () => {},
  });
  await setImmediate();
  let responded = 0;
  const respond = async (status: number): Promise<void> => {
    const { name, resolve } = waiting[responded]!;
    resolve(reply(status, name));
    responded += 1;
    await setImmediate();
  };
  return {
    respond,
    sent: () => waiting.length,
    finish: async (status: number) => {
      while (responded < waiting.length) await respond(status);
      const outcomes = await executed;
      return outcomes.map(({ result }) => result);
    },
  };
}

test.for([
  ["a success", 200],
  ["a refusal", 409],
] as const)("%s resets the count of failures", async ([, status]) => {
  const { respond, sent, finish } = await executeByHand();
  for (const one of [500, 500, status, 500, 500]) await respond(one);
  expect(sent()).toBe(lanes + 5);
  await respond(500);
  expect(sent()).toBe(lanes + 5);
  const outcomes = await finish(200);
  expect(outcomes.filter((outcome) => outcome === "skipped")).toHaveLength(count - lanes - 5);
});
