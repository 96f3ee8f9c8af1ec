import { expect, test } from "vitest";
import { choices, type Switches } from "./switches.ts";
import { startVendor } from "./vendor-service.ts";

const acme = { name: "ACME", purpose: "Orders" };
const groups = Array.from({ length: 20 }, (_, index) => ({ name: `Group ${index + 1}` }));

type Row = readonly [request: string, switches: Partial<Switches>, status: number, body: RegExp];

/** Switches that no other test would miss, because a client must bear both choices. */
const rows: readonly Row[] = [
  ["GET /group/9007199254740993", { firstId: choices.firstId[2] }, 200, /:9007199254740993,/],
  ["GET /group/1", { idsAsText: true }, 200, /"id":"1"/],
  ["GET /group/1", { fractionDigits: 0 }, 200, /"created_at":"2026-01-31T08:00:00Z"/],
  ["GET /group/1", { extraFields: true }, 200, /"sender_id":null,.*"user_id":7,"updated_at"/],
  ["GET /group", { withoutContactsCount: true }, 200, /^(?!.*contacts_count)/],
  ["GET /sender-id/ACME", { namesake: "oldest" }, 200, /"id":1,/],
  ["GET /sender-id/acme", { lookUp: "any case" }, 200, /"id":2,/],
  ["GET /sender-id/acme", {}, 404, /Record not found/],
  ["GET /group/00000000-0000-4000-abcd-000000000001", { uuids: false }, 404, /not found/],
  ["GET /group?perPage=8&page=3", {}, 200, /\[\{"id":4,.*:3,"last_page":3,.*:8,"total":20/],
  ["GET /group?perPage=8&page=4", {}, 200, /"data":\[\]/],
  ["GET /group?perPage=8&page=4", { pastTheEnd: "refused" }, 404, /Page not found/],
  ["GET /group?perPage=3&page=2", { page: "ignored" }, 200, /\[\{"id":20,.*"current_page":1/],
  ["GET /group?perPage=3", { order: "ascending" }, 200, /"data":\[\{"id":1,/],
  ["GET /group", { withoutTotal: true }, 200, /^(?!.*"total")/],
  ["GET /group?perPage=4", { totalShortBy: 5 }, 200, /"last_page":4,.*"total":15/],
  ["GET /group?perPage=3&page=2", { pagesOverlap: true }, 200, /"data":\[\{"id":18,/],
  ["DELETE /group/99", { unknownDelete: "done", deleteResponse: "no content" }, 204, /^$/],
  ["GET /group/99", { htmlNotFound: true }, 404, /^<!DOCTYPE html>/],
];

test.for(rows)("%s with %o", async ([request, switches, status, body]) => {
  const vendor = await startVendor(switches);
  vendor.seed({ senderIds: [acme, acme], groups });
  const [method = "", path = ""] = request.split(" ");
  const headers = { Authorization: `Bearer ${vendor.key}`, Accept: "application/json" };
  const response = await fetch(`${vendor.baseUrl}/v1${path}`, { method, headers });
  expect(response.status).toBe(status);
  expect(await response.text()).toMatch(body);
  await vendor.close();
});

test("violations of the specification are recorded", async () => {
  const { baseUrl, requests, violations, close } = await startVendor();
  const send = (method: string, path: string, type: string, Accept: string, body: string) =>
    fetch(`${baseUrl}${path}`, { method, headers: { "Content-Type": type, Accept }, body });
  await send("POST", "/v1/group", "text/plain", "application/json", '{"name": 1}{}');
  const body = '{"name": null, "send_holiday": null, "colour": "red", "send_birthday": "true"}';
  await send("PUT", "/v1/group/1", "application/json", "*/*", body);
  expect(violations).toStrictEqual([
    "POST /v1/group: Content-Type text/plain",
    "POST /v1/group: a body that is not one JSON object",
    "PUT /v1/group/1: name is null",
    "PUT /v1/group/1: an unknown field colour",
    "PUT /v1/group/1: send_birthday is not a boolean",
    "PUT /v1/group/1: Accept */*",
  ]);
  expect(requests.map(({ status }) => status)).toStrictEqual([401, 401]);
  await close();
});
