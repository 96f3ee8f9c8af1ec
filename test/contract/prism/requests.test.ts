import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { operations, type OperationName } from "../../../src/contract/operations.ts";
import { call } from "../../engine/support/engine-fixtures.ts";
import { cases } from "../cases.ts";
import { fetchDocument, startPrism, violationsOf, type Prism } from "./prism.ts";
import { openRelay, type Passed, type Relay } from "../relay.ts";
import { openClient } from "../transports.ts";

/** Prism as a mock server, which checks the requests of the remote client against the OpenAPI document. */
let mock: Prism;
/** In front of Prism, to read its results. */
let relay: Relay;
let document: string;

/** Resources to close in reverse order. A hook inside a hook would not be called. */
const opened: { readonly close: () => Promise<void> }[] = [];

beforeAll(async () => {
  const fetched = await fetchDocument();
  opened.push(fetched);
  document = fetched.text;
  mock = await startPrism("mock", fetched.file);
  opened.push(mock);
  relay = await openRelay();
  opened.push(relay);
  relay.target = mock.baseUrl;
}, 120_000);

afterAll(async () => {
  for (const { close } of opened.toReversed()) await close();
});

test("Prism finds every operation in the document", () => {
  expect(JSON.parse(document)).toMatchObject({ openapi: "3.1.0" });
  const found = [...mock.log().matchAll(/(GET|POST|PUT|DELETE) +http:\/\/[^/]+(\S+)/g)];
  const routes = found.map(([, method, path]) => `${method} ${path!.replace(/\?.*/, "")}`);
  const expected = Object.values(operations).map(({ method, path }): unknown =>
    expect.stringMatching(`^${method} ${path.replace(/\{\w+\}/, "[^/]+")}$`),
  );
  expect(routes).toEqual(expected);
});

/** Sends one request and returns Prism's results. The mock's response data is ignored. */
async function check(send: (baseUrl: string) => Promise<unknown>): Promise<Passed> {
  relay.passed.length = 0;
  await send(relay.baseUrl).catch(() => undefined);
  expect(relay.passed).toHaveLength(1);
  return relay.passed[0]!;
}

const steps = cases.flatMap((one) => one.steps).filter(({ status }) => status < 300);
const different = new Map(steps.map((one) => [JSON.stringify([one.operation, one.input]), one]));

test.each(Object.keys(operations) as OperationName[])("Prism accepts %s", async (name) => {
  const requests = [...different.values()].filter(({ operation }) => operation === name);
  expect(requests).not.toEqual([]);
  const client = await openClient(relay.baseUrl, "sk_key");
  onTestFinished(client.close);
  for (const { input } of requests) {
    const passed = await check(() => call(client.service, name, input));
    expect([input, violationsOf(passed, "request")]).toEqual([input, []]);
    // The mock generates times that the document forbids, and reports them as a 500 with response violations.
    const isFound = passed.status < 300 || violationsOf(passed, "response").length > 0;
    expect([input, passed.status, isFound]).toEqual([input, passed.status, true]);
  }
});

const authorization = "Bearer sk_key";
const typed = { authorization, "content-type": "application/json" };

interface InvalidRequest {
  readonly what: string;
  readonly path: string;
  readonly method?: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
}

const invalidRequests: readonly InvalidRequest[] = [
  { what: "a missing key", path: "/v1/group", headers: {} },
  { what: "another scheme", path: "/v1/group", headers: { authorization: "Basic YTpi" } },
  { what: "a page that is not a number", path: "/v1/group?perPage=x", headers: { authorization } },
  ...[
    { what: "a name that is a number", path: "/v1/group", method: "POST", body: '{"name":1}' },
    { what: "an unknown field", path: "/v1/group", method: "POST", body: '{"name":"a","x":1}' },
    {
      what: "null for a required field",
      path: "/v1/group/1",
      method: "PUT",
      body: '{"name":null}',
    },
    { what: "a missing body", path: "/v1/sender-id", method: "POST" },
  ].map((request) => ({ ...request, headers: typed })),
];

test.each(invalidRequests)(
  "Prism rejects $what",
  async ({ path, method = "GET", headers, body }) => {
    const init = { method, headers, body: body ?? null };
    const passed = await check((baseUrl) => fetch(`${baseUrl}${path}`, init));
    expect(violationsOf(passed, "request")).not.toEqual([]);
  },
);

test("Prism rejects an unknown path", async () => {
  const passed = await check((baseUrl) => fetch(`${baseUrl}/v1/sender-ids`));
  expect([passed.status, violationsOf(passed, "response")]).toEqual([404, []]);
});
