import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  ownBehaviour,
  type Behaviour,
  type PartialBehaviour,
} from "../../../src/contract/behaviour.ts";
import { cases, timeout } from "../../support/fuzz-runs.ts";
import { send as sendRaw } from "../../server/running-server.ts";
import { anyBehaviour } from "./arbitrary.ts";
import { kindOtherThanSqlite } from "../support/test-database.ts";
import { inProcess, overHttp, type Client, type Received } from "./clients.ts";

type Cause = "done" | "path" | "body" | "method" | "missing" | "invalid" | "taken";
type Step = readonly [method: string, path: string, body: unknown, ...outcomes: Cause[]];

const whole = { name: "Friends", send_birthday: true, birthday_message: "Hi" };
const update = { ...whole, send_holiday: true };
const acme = { name: "ACME", purpose: "Alerts" };

/** Requests with their possible outcomes, whatever the behaviour. */
const steps: readonly Step[] = [
  ["POST", "/v1/sender-id", acme, "done"],
  ["POST", "/v1/sender-id", acme, "taken"],
  ["POST", "/v1/sender-id", { name: "OTHER" }, "invalid"],
  ["POST", "/v1/sender-id", { purpose: "None" }, "invalid"],
  ["POST", "/v1/group", whole, "done"],
  ["POST", "/v1/group", whole, "done", "taken"],
  ["POST", "/v1/group", { name: "Family" }, "done"],
  ["POST", "/v1/group", { ...whole, name: " Spaces " }, "invalid"],
  ["POST", "/v1/group", { ...whole, name: 7, birthday_message: "" }, "invalid"],
  ["POST", "/v1/group", { ...whole, name: "Fields", colour: 1 }, "done", "invalid"],
  ["POST", "/v1/group", { ...update, name: "More", sender_id: "ACME" }, "done", "invalid"],
  ["POST", "/v1/group", { ...whole, name: "x".repeat(300) }, "invalid"],
  ["POST", "/v1/group", [], "invalid"],
  ["POST", "/v1/group", "{", "body"],
  ["PUT", "/v1/group/1", {}, "done", "invalid", "missing"],
  ["PUT", "/v1/group/1", { ...update, name: "First" }, "done", "missing"],
  ["PUT", "/v1/group/1", { ...update, name: "More" }, "done", "taken", "missing"],
  ["PUT", "/v1/group/1", { name: "Null", send_holiday: null }, "done", "invalid", "missing"],
  ["PUT", "/v1/group/1", { ...update, sender_id: "ACME" }, "done", "invalid", "taken", "missing"],
  ["PUT", "/v1/group/1", { ...update, sender_id: "2" }, "done", "invalid", "taken", "missing"],
  ["PUT", "/v1/group/1", { ...update, sender_id: "?" }, "done", "invalid", "taken", "missing"],
  ["PUT", "/v1/group/999", { ...update, name: "Last" }, "missing"],
  ["GET", "/v1/group", undefined, "done"],
  ["GET", "/v1/group?perPage=0", undefined, "invalid"],
  ["GET", "/v1/group?perPage=5000", undefined, "invalid"],
  ["GET", "/v1/group?perPage=1&page=2", undefined, "done", "invalid"],
  ["GET", "/v1/sender-id?perPage=1&page=99", undefined, "done", "invalid"],
  ["GET", "/v1/group/1", undefined, "done", "missing"],
  ["GET", "/v1/sender-id/ACME", undefined, "done"],
  ["GET", "/v1/sender-id/NOBODY", undefined, "missing"],
  ["GET", "/v1/sender-id/%ff", undefined, "body"],
  ["GET", "/v1/elsewhere", undefined, "path"],
  ["PATCH", "/v1/group", undefined, "method"],
  ["DELETE", "/v1/group/999", undefined, "missing"],
  ["DELETE", "/v1/group/1", undefined, "done", "missing"],
  ["DELETE", "/v1/sender-id/ACME", undefined, "done"],
];

/** Returns the status of an outcome, from the table of switches. */
function statusOf(cause: Cause, method: string, behaviour: Behaviour): number {
  if (cause === "done") {
    if (method === "POST") return behaviour.create_status;
    return method === "DELETE" ? behaviour.delete_status : 200;
  }
  if (behaviour.error_status === "always_200") return 200;
  const statuses: Readonly<Record<Exclude<Cause, "done">, number>> = {
    path: 404,
    body: 400,
    method: 405,
    missing: behaviour.not_found_status,
    invalid: 422,
    taken: 409,
  };
  return statuses[cause];
}

const message = expect.stringMatching(/^[A-Z]/);

function bodyOf({ error_body, error_status }: Behaviour, status: number): object {
  const bodies: Readonly<Record<Behaviour["error_body"], object>> = {
    envelope: { status: false, message, data: null },
    message: { message },
    errors_by_field: { message },
    error: { error: message },
    error_message: { error: { message } },
    problem: { type: "about:blank", status, detail: message },
  };
  return { ...bodies[error_body], ...(error_status === "always_200" ? { status: false } : {}) };
}

function expectRefused(received: Pick<Received, "json" | "status">, behaviour: Behaviour): void {
  const { errors, ...body } = received.json;
  expect(body).toEqual(bodyOf(behaviour, received.status));
  const mayHaveErrors = ["envelope", "errors_by_field", "problem"].includes(behaviour.error_body);
  expect(errors === undefined || mayHaveErrors).toBe(true);
}

function expectStep([method, path, , ...outcomes]: Step, received: Received, own: Behaviour): void {
  const step = `${method} ${path}: ${received.status} ${received.text.slice(0, 200)}`;
  const allowed = outcomes.filter((cause) => (cause === "done") === !received.isRefused);
  const statuses = allowed.map((cause) => statusOf(cause, method, own));
  expect({ step, isAllowed: statuses.includes(received.status) }).toEqual({
    step,
    isAllowed: true,
  });
  if (received.isRefused) expectRefused(received, own);
  else if (received.status === 204) expect(received.text).toBe("");
  else expect(received.json).toMatchObject({ status: true, message });
}

/** Removes what differs between two databases. */
const comparable = ({ status, text }: Received): object => ({
  status,
  text: text.replaceAll(/"(?:uuid|created_at)":"[^"]*"/g, ""),
});

async function run(client: Client, behaviour: PartialBehaviour): Promise<readonly Received[]> {
  const all: Received[] = [];
  for (const step of steps) {
    const received = await client.send(step[0], step[1], step[2]);
    expectStep(step, received, { ...ownBehaviour, ...behaviour });
    all.push(received);
  }
  return all;
}

async function expectKeysRefused({ server }: Client, behaviour: PartialBehaviour): Promise<void> {
  const own = { ...ownBehaviour, ...behaviour };
  const is200 = own.error_status === "always_200";
  for (const key of [null, "sk_unknown"]) {
    const response = await sendRaw(server!, "GET", "/v1/group", { key });
    expect(response.status).toBe(is200 ? 200 : 401);
    expect("www-authenticate" in response.headers).toBe(response.status === 401);
    const isProblem = own.error_body === "problem" && !is200;
    const type = isProblem ? "application/problem+json" : "application/json";
    expect(response.headers["content-type"]).toBe(type);
    const json = JSON.parse(response.text) as Received["json"];
    expectRefused({ json, status: response.status }, own);
  }
}

test(
  "any behaviour responds by its switches, the same in process and over HTTP",
  timeout,
  async () => {
    const property = fc.asyncProperty(anyBehaviour, async (behaviour) => {
      const direct = await inProcess(behaviour);
      const local = await run(direct, behaviour);
      const client = await overHttp(behaviour);
      const remote = await run(client, behaviour);
      expect(remote.map(comparable)).toEqual(local.map(comparable));
      await expectKeysRefused(client, behaviour);
      expect(client.complaints).toEqual([]);
      await Promise.all([direct.close(), client.close()]);
    });
    await fc.assert(property, cases(kindOtherThanSqlite() === undefined ? 20 : 4));
  },
);
