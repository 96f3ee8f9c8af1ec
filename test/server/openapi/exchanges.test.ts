import { expect, onTestFinished, test } from "vitest";
import { operations, type OperationName } from "../../../src/contract/operations.ts";
import { openApiDocument } from "../../../src/server/openapi.ts";
import { cases } from "../../contract/cases.ts";
import { openRelay, type Passed } from "../../contract/relay.ts";
import { runSteps } from "../../contract/run-steps.ts";
import { openClient, openOverSocket } from "../../contract/transports.ts";
import { call } from "../../engine/support/engine-fixtures.ts";
import { exchangeChecker } from "./exchange-checker.ts";

const check = exchangeChecker(openApiDocument());

/** Opens a server and clients, with what passes between them. */
async function openWatched() {
  const relay = await openRelay();
  const transport = await openOverSocket(async (baseUrl) => {
    relay.target = baseUrl;
    return relay.baseUrl;
  });
  onTestFinished(async () => {
    await transport.close();
    await relay.close();
  });
  return { ...transport, passed: relay.passed };
}

test.each(cases)("requests and responses match the document: $name", async ({ steps }) => {
  const { passed, ...transport } = await openWatched();
  await runSteps(transport, steps);
  // A uuid that is not found is looked up in the list.
  expect(passed.length).toBeGreaterThanOrEqual(steps.length);
  const found = passed.map((exchange) => ({ exchange, ...check(exchange) }));
  expect(found.filter(({ response }) => response.length > 0)).toEqual([]);
  // What the server accepts, the document allows.
  const accepted = found.filter(({ exchange }) => exchange.status < 300);
  expect(accepted.filter(({ request }) => request.length > 0)).toEqual([]);
});

test("the response to an unknown key matches the document", async () => {
  const { baseUrl, passed } = await openWatched();
  const stranger = await openClient(baseUrl, "sk_unknown");
  onTestFinished(stranger.close);
  const { status } = await call(stranger.service, "group.list", { query: {} });
  expect([status, check(passed[0]!).response]).toEqual([401, []]);
});

test("the cases have a success of every operation", () => {
  const successes = cases.flatMap(({ steps }) => steps.filter(({ status }) => status < 300));
  const covered = new Set(successes.map(({ operation }) => operation));
  expect([...covered].toSorted()).toEqual(Object.keys(operations).toSorted());
});

/**
 * Responses that violate the document: a description, a request to a service with sender ID ACME and group 1, and
 * the change to its response.
 */
type InvalidResponse = readonly [
  string,
  OperationName,
  input: object,
  from: string | RegExp,
  to: string,
];

const name = { path: { name: "ACME" } };
const id = { path: { id: "1" } };
const all = { query: {} };
const existing = { body: { name: "ACME", purpose: "Alerts" } };

const invalidResponses: readonly InvalidResponse[] = [
  ["another message", "sender-id.fetch", name, "Sender retrieved", "Sender fetched"],
  ["a status that is not a boolean", "sender-id.fetch", name, '"status":true', '"status":"true"'],
  ["a success with status false", "sender-id.fetch", name, '"status":true', '"status":false'],
  ["a success without data", "sender-id.fetch", name, /"data":.*}/, '"data":null}'],
  ["an id that is text", "sender-id.fetch", name, '"id":1', '"id":"1"'],
  ["a missing purpose", "sender-id.fetch", name, '"purpose":"Alerts",', ""],
  ["an unknown field", "sender-id.fetch", name, '"id":1', '"id":1,"key":"k"'],
  ["a time in milliseconds", "sender-id.fetch", name, /\d{3}Z"/, 'Z"'],
  ["another time zone", "group.fetch", id, /Z"/, '+00:00"'],
  ["an invalid uuid", "group.fetch", id, /"uuid":"[^"]+/, '"uuid":"1'],
  ["a boolean that is a number", "group.fetch", id, '"send_birthday":false', '"send_birthday":0'],
  ["a missing null", "group.fetch", id, '"send_holiday":null,', ""],
  ["a message that is a number", "group.fetch", id, '_message":null', '_message":1'],
  ["an unexpected count", "group.fetch", id, '"created_at"', '"contacts_count":0,"created_at"'],
  [
    "an unexpected sender_id",
    "group.update",
    { ...id, body: {} },
    '"id":1',
    '"id":1,"sender_id":null',
  ],
  ["a list without counts", "group.list", all, '"contacts_count":0,', ""],
  ["a list without an envelope", "group.list", all, /"data":\{"data":(\[.*\]),.*/, '"data":$1}'],
  ["a total that is text", "group.list", all, /"total":1/, '"total":"1"'],
  ["a missing page number", "sender-id.list", all, '"current_page":1,', ""],
  ["a deletion with data", "group.delete", id, '"data":null', '"data":{}'],
  ["a refusal with status true", "sender-id.create", existing, '"status":false', '"status":true'],
  ["a refusal with data", "sender-id.create", existing, '"data":null', '"data":{}'],
  ["errors that are not lists", "sender-id.create", existing, '["is taken"]', '"is taken"'],
  ["a refusal without a message", "sender-id.create", existing, /"message":"[^"]*",/, ""],
];

test("the document forbids responses that services must not send", async () => {
  const { services, passed } = await openWatched();
  await services.owner["sender-id.create"](existing);
  await services.owner["group.create"]({ body: { name: "Friends" } });
  for (const [what, operation, input, from, to] of invalidResponses) {
    await call(services.owner, operation, input);
    const exchange = passed.at(-1)!;
    const text = exchange.text.replace(from, to);
    expect(text, what).not.toBe(exchange.text);
    expect(check(exchange).response, what).toEqual([]);
    expect(check({ ...exchange, text }).response, what).not.toEqual([]);
  }
});

const authorization = "Bearer sk_key";
const json = { authorization, "content-type": "application/json" };
const text = { authorization, "content-type": "text/plain" };

type InvalidRequest = readonly [string, request: string, headers: Passed["headers"], body: string];

const invalidRequests: readonly InvalidRequest[] = [
  ["a missing key", "GET /v1/group", {}, ""],
  ["another scheme", "GET /v1/group", { authorization: "Basic YTpi" }, ""],
  ["an unknown path", "GET /v1/sender-ids", { authorization }, ""],
  ["an unknown parameter", "GET /v1/group?per_page=1", { authorization }, ""],
  ["a page size that is not a number", "GET /v1/group?perPage=x", { authorization }, ""],
  ["a page size of 1001", "GET /v1/group?perPage=1001", { authorization }, ""],
  ["a name that is a number", "POST /v1/group", json, '{"name":1}'],
  ["an unknown field", "POST /v1/group", json, '{"name":"a","x":1}'],
  ["null for a required field", "PUT /v1/group/1", json, '{"name":null}'],
  ["a missing body", "POST /v1/sender-id", json, ""],
  ["an unexpected body", "DELETE /v1/group/1", json, "{}"],
  ["another content type", "POST /v1/group", text, '{"name":"a"}'],
];

test.each(invalidRequests)("the document forbids %s in a request", (_, line, headers, body) => {
  const [method, url] = line.split(" ") as [string, string];
  const request = { method, url, headers, text: body };
  expect(check({ request, status: 200, headers: {}, text: "" }).request).not.toEqual([]);
});
