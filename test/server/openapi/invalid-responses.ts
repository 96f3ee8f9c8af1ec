import type { OperationName } from "../../../src/contract/operations.ts";

/**
 * Responses that violate the contract: a description, a request to a service with sender ID ACME and group 1, and
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

export const invalidResponses: readonly InvalidResponse[] = [
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
