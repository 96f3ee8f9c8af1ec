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

/** Client, `front`, Prism, `back`, server: Prism passes on what it finds right, and 500 for what is not. */
let front: Relay;
let back: Relay;

/** What is open, to be closed in the opposite order. A hook inside a hook would not be called. */
const opened: { readonly close: () => Promise<void> }[] = [];

beforeAll(async () => {
  const document = await fetchDocument();
  opened.push(document);
  front = await openRelay();
  opened.push(front);
  back = await openRelay();
  opened.push(back);
  // Requests that our server has to refuse would not get past Prism, were it to judge them, too.
  const upstream = [document.file, back.baseUrl, "--validate-request=false"];
  const prism = await startPrism("proxy", ...upstream);
  opened.push(prism);
  front.target = prism.baseUrl;
}, 30_000);

afterAll(async () => {
  for (const { close } of opened.toReversed()) await close();
});

/** A server, and clients that reach it through Prism. */
async function openBehindPrism() {
  const way = await openOverSocket(async (baseUrl) => {
    front.passed.length = 0;
    back.target = baseUrl;
    return front.baseUrl;
  });
  onTestFinished(way.close);
  return way;
}

/** Not what Prism passes on as something else: it resolves dots, and reads a body before it sends it. */
function isCarried({ input: { path = {}, body = {} } }: Step): boolean {
  const segments: unknown[] = Object.values(path as object);
  const hasDots = segments.includes(".") || segments.includes("..");
  return !hasDots && body !== null && typeof body !== "string";
}

/** Without refusals that read like an earlier one: they change nothing, and Prism takes its time. */
function withoutRepeats(steps: readonly Step[]): readonly Step[] {
  const keys = steps.map(({ by, operation, text }) => JSON.stringify([by, operation, text]));
  return steps.filter(({ status }, index) => status < 400 || keys.indexOf(keys[index]!) === index);
}

test.each(recordCases)("the answers are by the document: $name", async ({ steps }) => {
  const carried = withoutRepeats(steps.filter(isCarried));
  const way = await openBehindPrism();
  const replies = await runSteps(way, carried);
  expect(replies.map(({ status, text }) => [status, normalised(text)])).toEqual(
    carried.map(({ status, text }) => [status, text]),
  );
  expect(front.passed).toHaveLength(carried.length);
  expect(front.passed.flatMap((passed) => violationsOf(passed, "response"))).toEqual([]);
});

test("so is the answer to a key that is unknown", async () => {
  await openBehindPrism();
  const stranger = await openClient(front.baseUrl, "sk_unknown");
  onTestFinished(stranger.close);
  const { status } = await stranger.service["group.list"]({ query: {} });
  expect([status, violationsOf(front.passed[0]!, "response")]).toEqual([401, []]);
});

test.each(invalidResponses)("Prism would notice %s", async (_, operation, input, from, to) => {
  const { services } = await openBehindPrism();
  await services.owner["sender-id.create"]({ body: { name: "ACME", purpose: "Alerts" } });
  await services.owner["group.create"]({ body: { name: "Friends" } });
  onTestFinished(() => {
    back.edit = (text) => text;
  });
  let original = "";
  let changed = "";
  back.edit = (text) => {
    // What follows a lost create is its look-up.
    back.edit = (rest) => rest;
    original = text;
    changed = text.replace(from, to);
    return changed;
  };
  front.passed.length = 0;
  // After a write this is an error, because its outcome is unknown.
  await call(services.owner, operation, input).catch(() => undefined);
  expect(changed).not.toBe(original);
  const [{ status, text } = { status: 0, text: "" }] = front.passed;
  expect([status, text]).toEqual([500, expect.stringContaining("errors#VIOLATIONS")]);
});
