import { expect, test } from "vitest";
import { send, expectRefusal, newKey, startRunning } from "./running-server.ts";

const group = { name: "Friends" };
const senderId = { name: "ACME", purpose: "Offers" };

test("404 hides records of another integration", async () => {
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
