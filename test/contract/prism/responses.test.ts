import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { call } from "../../engine/support/engine-fixtures.ts";
import { recordCases } from "../cases.ts";
import { invalidResponses } from "./invalid-responses.ts";
import { normalised } from "../normalise.ts";
import { fetchDocument, startPrism, violationsOf } from "./prism.ts";
import { openRelay, type Relay } from "../relay.ts";
import { runSteps } from "../run-steps.ts";
import type { Step } from "../step.ts";
import { openClient, openOverSocket } from "../transports.ts";

/** Client, `front`, Prism, `back`, server: Prism forwards valid responses and replaces invalid ones by a 500. */
let front: Relay;
let back: Relay;

/** Resources to close in reverse order. A hook inside a hook would not be called. */
const opened: { readonly close: () => Promise<void> }[] = [];

beforeAll(async () => {
  const document = await fetchDocument();
  opened.push(document);
  front = await openRelay();
  opened.push(front);
  back = await openRelay();
  opened.push(back);
  // Prism must not check requests here: it would reject those that our server is to refuse.
  const upstream = [document.file, back.baseUrl, "--validate-request=false"];
  const prism = await startPrism("proxy", ...upstream);
  opened.push(prism);
  front.target = prism.baseUrl;
}, 120_000);

afterAll(async () => {
  for (const { close } of opened.toReversed()) await close();
});

/** Opens a server and clients that reach it through Prism. */
async function openBehindPrism() {
  const transport = await openOverSocket(async (baseUrl) => {
    front.passed.length = 0;
    back.target = baseUrl;
    return front.baseUrl;
  });
  onTestFinished(transport.close);
  return transport;
}

/** Returns whether Prism forwards a step unchanged. It resolves dot segments and parses bodies. */
function isForwarded({ input: { path = {}, body = {} } }: Step): boolean {
  const segments: unknown[] = Object.values(path as object);
  const hasDots = segments.includes(".") || segments.includes("..");
  return !hasDots && body !== null && typeof body !== "string";
}

/** Removes refusals with the same text as an earlier one: they change nothing, and Prism is slow. */
function withoutRepeats(steps: readonly Step[]): readonly Step[] {
  const keys = steps.map(({ by, operation, text }) => JSON.stringify([by, operation, text]));
  return steps.filter(({ status }, index) => status < 400 || keys.indexOf(keys[index]!) === index);
}

test.each(recordCases)("responses match the OpenAPI document: $name", async ({ steps }) => {
  const forwarded = withoutRepeats(steps.filter(isForwarded));
  const transport = await openBehindPrism();
  const replies = await runSteps(transport, forwarded);
  expect(replies.map(({ status, text }) => [status, normalised(text)])).toEqual(
    forwarded.map(({ status, text }) => [status, text]),
  );
  expect(front.passed).toHaveLength(forwarded.length);
  expect(front.passed.flatMap((passed) => violationsOf(passed, "response"))).toEqual([]);
});

test("the response to an unknown key matches the OpenAPI document", async () => {
  await openBehindPrism();
  const stranger = await openClient(front.baseUrl, "sk_unknown");
  onTestFinished(stranger.close);
  const { status } = await stranger.service["group.list"]({ query: {} });
  expect([status, violationsOf(front.passed[0]!, "response")]).toEqual([401, []]);
});

test.each(invalidResponses)("Prism rejects %s", async (_, operation, input, from, to) => {
  const { services } = await openBehindPrism();
  await services.owner["sender-id.create"]({ body: { name: "ACME", purpose: "Alerts" } });
  await services.owner["group.create"]({ body: { name: "Friends" } });
  onTestFinished(() => {
    back.edit = (text) => text;
  });
  let original = "";
  let changed = "";
  back.edit = (text) => {
    // The client looks up a create with an invalid response; that response stays unchanged.
    back.edit = (rest) => rest;
    original = text;
    changed = text.replace(from, to);
    return changed;
  };
  front.passed.length = 0;
  // Writes throw here, because their outcome is unknown.
  await call(services.owner, operation, input).catch(() => undefined);
  expect(changed).not.toBe(original);
  const [{ status, text } = { status: 0, text: "" }] = front.passed;
  expect([status, text]).toEqual([500, expect.stringContaining("errors#VIOLATIONS")]);
});
