import { describe, expect, test } from "vitest";
import {
  send,
  expectRefusal,
  groupNames,
  newKey,
  startRunning,
  type ReceivedResponse,
} from "./running-server.ts";

const group = { name: "Friends" };
const senderId = { name: "ACME", purpose: "Offers" };

describe("401", () => {
  test("rejects a missing or unknown key", async () => {
    const running = await startRunning();
    const keyless = ["", "Bearer", "Bearer ", "Basic c2s6", "Token x", `Bearer${running.key}`];
    const wrong = [`Bearer ${running.key}x`, `Bearer ${running.key} ${running.key}`];
    const refused = [...keyless, running.key, ...wrong].map((Authorization) => ({ Authorization }));
    for (const headers of [{}, ...refused]) {
      for (const method of ["GET", "POST"]) {
        const body = method === "POST" ? group : undefined;
        const response = await send(running, method, "/v1/group", { key: null, headers, body });
        expectRefusal(response, 401);
        expect(response.headers["www-authenticate"]).toBe("Bearer");
      }
    }
    expect(await groupNames(running)).toEqual([]);
  });

  test("is checked before paths", async () => {
    const running = await startRunning();
    for (const path of ["/v1/group/1", "/v1/nothing", "/v1/sender-id/%zz"]) {
      expectRefusal(await send(running, "GET", path, { key: null }), 401);
    }
    expect(running.served.map(({ status }) => status)).toEqual([401, 401, 401]);
  });

  test("is not sent for a scheme in another case", async () => {
    const running = await startRunning();
    for (const scheme of ["bearer", "BEARER"]) {
      const headers = { Authorization: `${scheme} ${running.key}` };
      const response = await send(running, "GET", "/v1/group", { key: null, headers });
      expect(response.status).toBe(200);
    }
  });
});

describe("404", () => {
  const unknown = [
    "/v1/",
    "/v1/groups",
    "/v1/Group",
    "/v1/group/",
    "/v1/sender-id/",
    "/v1/sender-id//ACME",
    "/v1/group/1/",
    "/v1/group/1/contacts",
    "/v1/sender-id/ACME",
    "/v1/sender-id/%00",
    "/v1/sender-id/%2e%2e",
    "/v1/group/1",
    "/v1/group/01",
    "/v1/group/-1",
    "/v1/group/99999999999999999999",
    "/v1/__proto__",
    "/v1/constructor/1",
  ];
  test("rejects a GET of an unknown path or record", async () => {
    const running = await startRunning();
    for (const path of unknown) {
      const response = await send(running, "GET", path);
      expectRefusal(response, 404, path);
      expect(response.headers, path).not.toHaveProperty("allow");
    }
  });

  test("rejects every path outside /v1, with or without a key", async () => {
    const running = await startRunning();
    for (const path of ["/", "/v1", "/v2/group", "/v1x/group", "/healthz/", "/openapi", "*"]) {
      for (const key of [running.key, null]) {
        expectRefusal(await send(running, "GET", path, { key }), 404);
        expectRefusal(await send(running, "OPTIONS", path, { key }), 404);
      }
    }
    expect(running.complaints).toEqual([]);
  });

  test("hides records of another integration", async () => {
    const running = await startRunning();
    await running.engine.administration.createIntegration("other");
    const other = await newKey(running.engine, "other");
    await send(running, "POST", "/v1/group", { body: group, key: other });
    await send(running, "POST", "/v1/sender-id", { body: senderId, key: other });
    for (const path of ["/v1/group/1", "/v1/sender-id/ACME"]) {
      expectRefusal(await send(running, "GET", path), 404);
      expectRefusal(await send(running, "DELETE", path), 404);
      expect((await send(running, "GET", path, { key: other })).status).toBe(200);
    }
  });
});

function allowedBy({ headers }: ReceivedResponse): string[] {
  return headers.allow!.split(", ").toSorted();
}

test.each([
  ["/v1/group", "GET, HEAD, OPTIONS, POST"],
  ["/v1/sender-id", "GET, HEAD, OPTIONS, POST"],
  ["/v1/group/1", "DELETE, GET, HEAD, OPTIONS, PUT"],
  ["/v1/sender-id/ACME", "DELETE, GET, HEAD, OPTIONS"],
  ["/healthz", "GET, HEAD, OPTIONS"],
  ["/openapi.json", "GET, HEAD, OPTIONS"],
])("405 for %s allows %s, and OPTIONS gets 204", async (path, all) => {
  const running = await startRunning();
  const methods = all.split(", ");
  const every = ["GET", "POST", "PUT", "PATCH", "DELETE", "TRACE"];
  for (const method of every.filter((one) => !methods.includes(one))) {
    const response = await send(running, method, path);
    expectRefusal(response, 405, method);
    expect(allowedBy(response)).toEqual(methods);
  }
  const options = await send(running, "OPTIONS", path);
  expect(options).toMatchObject({ status: 204, text: "" });
  expect(allowedBy(options)).toEqual(methods);
  expect(options.headers).not.toHaveProperty("content-type");
});

test("HEAD is GET without the body", async () => {
  const running = await startRunning();
  await send(running, "POST", "/v1/group", { body: group });
  const api = ["/v1/group", "/v1/group/1", "/v1/group/2", "/v1/none"];
  for (const path of [...api, "/healthz", "/openapi.json"]) {
    const got = await send(running, "GET", path);
    const { date: one, "x-request-id": first, ...headers } = got.headers;
    const head = await send(running, "HEAD", path);
    const { date: two, "x-request-id": second, ...same } = head.headers;
    expect({ path, ...head, headers: same }).toEqual({ path, ...got, headers, text: "" });
    expect([typeof one, typeof two]).toEqual(["string", "string"]);
    // Each request has an id of its own.
    expect(first).not.toBe(second);
    expect(headers["content-length"]).toBe(String(Buffer.byteLength(got.text)));
  }
});

test("500 hides the details, which are printed for the operator", async () => {
  const running = await startRunning({
    engine: (engine) => ({
      ...engine,
      callerOf: () => Promise.reject(new Error("/var/detail.db line 7")),
      checkHealth: () => Promise.reject(new Error("/var/detail.db line 8")),
    }),
  });
  for (const path of ["/v1/group", "/healthz"]) {
    const response = await send(running, "GET", path);
    expectRefusal(response, 500);
    expect(JSON.stringify([response.headers, response.text])).not.toMatch(/detail|line|Error|\.ts/);
  }
  expect(running.complaints.join("")).toMatch(/detail\.db line 7\n[^]*detail\.db line 8\n$/);
});

test("an integration deleted during a request is an unknown key, not a defect", async () => {
  const running = await startRunning({
    engine: (engine) => ({
      ...engine,
      callerOf: async (key) => {
        const caller = await engine.callerOf(key);
        // As another process could do at this moment.
        await engine.administration.deleteIntegration("brief");
        return caller;
      },
    }),
  });
  await running.engine.administration.createIntegration("brief");
  const key = await newKey(running.engine, "brief");
  const { status } = await send(running, "POST", "/v1/group", { key, body: group });
  expect({ status, complaints: running.complaints }).toEqual({ status: 401, complaints: [] });
});
