import type { OperationName } from "../../../src/contract/operations.ts";

/**
 * Answers that break the contract: what is wrong, what was asked of a service that has sender ID ACME and
 * group 1, and how the answer is changed.
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
const again = { body: { name: "ACME", purpose: "Alerts" } };

export const invalidResponses: readonly InvalidResponse[] = [
  ["another message", "sender-id.fetch", name, "Sender retrieved", "Sender fetched"],
  ["a status that is no boolean", "sender-id.fetch", name, '"status":true', '"status":"true"'],
  ["a success that says no", "sender-id.fetch", name, '"status":true', '"status":false'],
  ["a success without data", "sender-id.fetch", name, /"data":.*}/, '"data":null}'],
  ["an id that is text", "sender-id.fetch", name, '"id":1', '"id":"1"'],
  ["a purpose that is missing", "sender-id.fetch", name, '"purpose":"Alerts",', ""],
  ["a member that nobody knows", "sender-id.fetch", name, '"id":1', '"id":1,"key":"k"'],
  ["milliseconds", "sender-id.fetch", name, /\d{3}Z"/, 'Z"'],
  ["another zone", "group.fetch", id, /Z"/, '+00:00"'],
  ["a uuid that is none", "group.fetch", id, /"uuid":"[^"]+/, '"uuid":"1'],
  ["a boolean that is a number", "group.fetch", id, '"send_birthday":false', '"send_birthday":0'],
  ["a null that is missing", "group.fetch", id, '"send_holiday":null,', ""],
  ["a message that is a number", "group.fetch", id, '_message":null', '_message":1'],
  ["a count out of place", "group.fetch", id, '"created_at"', '"contacts_count":0,"created_at"'],
  ["a sender ID told", "group.update", { ...id, body: {} }, '"id":1', '"id":1,"sender_id":null'],
  ["a list without counts", "group.list", all, '"contacts_count":0,', ""],
  ["a list that is bare", "group.list", all, /"data":\{"data":(\[.*\]),.*/, '"data":$1}'],
  ["a total that is text", "group.list", all, /"total":1/, '"total":"1"'],
  ["a page that is missing", "sender-id.list", all, '"current_page":1,', ""],
  ["a deletion that returns something", "group.delete", id, '"data":null', '"data":{}'],
  ["a refusal that says yes", "sender-id.create", again, '"status":false', '"status":true'],
  ["a refusal with data", "sender-id.create", again, '"data":null', '"data":{}'],
  ["faults that are no lists", "sender-id.create", again, '["is taken"]', '"is taken"'],
  ["a refusal that says nothing", "sender-id.create", again, /"message":"[^"]*",/, ""],
];
