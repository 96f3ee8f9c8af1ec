import { expect, onTestFinished, test } from "vitest";
import { operations, type OperationName } from "../../src/contract/operations.ts";
import { uuidForm } from "../../src/contract/resources.ts";
import { SendctlError } from "../../src/core/error.ts";
import { call, thrownBy } from "../engine/support/engine-fixtures.ts";
import { cases } from "./cases.ts";
import { normalised } from "./normalise.ts";
import { runSteps, type ComparableReply } from "./run-steps.ts";
import type { Step } from "./step.ts";
import { openClient, openInProcess, openOverSocket, type Transport } from "./transports.ts";

async function opened<Opened extends Transport>(open: () => Promise<Opened>): Promise<Opened> {
  const transport = await open();
  onTestFinished(transport.close);
  return transport;
}

/** Compares replies with the expected ones, in a form that shows which step failed. */
function expectReplies(replies: readonly ComparableReply[], steps: readonly Step[]): void {
  const got = replies.map(({ status, text }) => [status, normalised(text)]);
  expect(got).toEqual(steps.map(({ status, text }) => [status, text]));
  // The envelope and the text have the same content.
  for (const { envelope, text } of replies) expect(envelope).toBe(text);
}

test.each(cases)("$name", async ({ steps }) => {
  const inProcess = await opened(() => openInProcess());
  const overSocket = await opened(() => openOverSocket());
  const direct = await runSteps(inProcess, steps);
  const remote = await runSteps(overSocket, steps);
  expectReplies(direct, steps);
  expectReplies(remote, steps);
  // Here the wording of errors and all digits of times must match.
  expect(remote).toEqual(direct);
  const methods = steps.flatMap((step) => requestsOf(step));
  expect(overSocket.served.map(({ method }) => method)).toEqual(methods);
  expect(overSocket.complaints).toEqual([]);
});

/**
 * Returns the methods of the requests that a client sends: a uuid, and a name with a dot, that a fetch does not find are looked up
 * in the list.
 */
function requestsOf({ operation, input, status }: Step): string[] {
  const { path } = input as { readonly path?: { readonly id?: unknown; readonly name?: unknown } };
  const [id, name] = [String(path?.id), String(path?.name)];
  const isUuid = operation === "group.fetch" && (uuidForm.test(id) || id.startsWith("uuid:"));
  const isDotted = operation === "sender-id.fetch" && name.includes(".");
  return [operations[operation].method, ...(status === 404 && (isUuid || isDotted) ? ["GET"] : [])];
}

const inputs: Readonly<Record<OperationName, object>> = {
  "sender-id.create": { body: { name: "NEW", purpose: "Alerts" } },
  "sender-id.list": { query: {} },
  "sender-id.fetch": { path: { name: "ACME" } },
  "sender-id.delete": { path: { name: "ACME" } },
  "group.create": { body: { name: "New" } },
  "group.list": { query: {} },
  "group.fetch": { path: { id: "1" } },
  "group.update": { path: { id: "1" }, body: { name: "Changed" } },
  "group.delete": { path: { id: "1" } },
};

const names = Object.keys(operations) as OperationName[];

test.each(names)("cases cover success and refusal of %s", (name) => {
  const statuses = cases.flatMap(({ steps }) =>
    steps.filter(({ operation }) => operation === name).map(({ status }) => status),
  );
  expect(statuses.some((status) => status < 300)).toBe(true);
  expect(statuses.some((status) => status >= 400)).toBe(true);
});

// Over a socket an unknown key is a response; in process it is an error when the service is opened.
test("every operation with an unknown key is refused and changes nothing", async () => {
  const { baseUrl, keys, services } = await opened(() => openOverSocket());
  await services.owner["sender-id.create"]({ body: { name: "ACME", purpose: "Alerts" } });
  await services.owner["group.create"]({ body: { name: "Friends" } });
  const state = async (): Promise<readonly string[]> => [
    (await services.owner["sender-id.list"]({ query: {} })).text,
    (await services.owner["group.list"]({ query: {} })).text,
  ];
  const before = await state();
  for (const key of ["sk_unknown", `${keys.owner}x`, keys.owner.slice(0, -1), "default", "1"]) {
    const stranger = await openClient(baseUrl, key);
    onTestFinished(stranger.close);
    for (const name of names) {
      const { status, text } = await call(stranger.service, name, inputs[name]);
      expect([name, status, JSON.parse(text)]).toEqual([
        name,
        401,
        { status: false, message: expect.stringMatching(/key/), data: null },
      ]);
    }
  }
  expect(await state()).toEqual(before);
});

test("in process, an unknown key is an auth error", async () => {
  const error = await thrownBy(() => openInProcess("sk_unknown"));
  expect(error).toBeInstanceOf(SendctlError);
  expect(error).toHaveProperty("kind", "auth");
});
