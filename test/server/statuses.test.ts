import { describe, expect, test } from "vitest";
import { send, expectRefusal, groupNames, startRunning } from "./running-server.ts";

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
  for (const path of unknown) {
    test(`rejects GET ${path}`, async () => {
      const response = await send(await startRunning(), "GET", path);
      expectRefusal(response, 404);
      expect(response.headers).not.toHaveProperty("allow");
    });
  }

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
    const created = await running.engine.administration.createKey("other");
    const other = (created.envelope!.data as { secret_key: string }).secret_key;
    await send(running, "POST", "/v1/group", { body: group, key: other });
    await send(running, "POST", "/v1/sender-id", { body: senderId, key: other });
    for (const path of ["/v1/group/1", "/v1/sender-id/ACME"]) {
      expectRefusal(await send(running, "GET", path), 404);
      expectRefusal(await send(running, "DELETE", path), 404);
      expect((await send(running, "GET", path, { key: other })).status).toBe(200);
    }
  });
});

describe("405", () => {
  const allowed = {
    "/v1/group": "GET, HEAD, OPTIONS, POST",
    "/v1/sender-id": "GET, HEAD, OPTIONS, POST",
    "/v1/group/1": "DELETE, GET, HEAD, OPTIONS, PUT",
    "/v1/sender-id/ACME": "DELETE, GET, HEAD, OPTIONS",
    "/healthz": "GET, HEAD, OPTIONS",
    "/openapi.json": "GET, HEAD, OPTIONS",
  };
  for (const [path, methods] of Object.entries(allowed)) {
    const every = ["GET", "POST", "PUT", "PATCH", "DELETE", "TRACE"];
    const others = every.filter((method) => !methods.split(", ").includes(method));
    test(`rejects ${others.join(", ")} ${path} with Allow, and OPTIONS gets 204`, async () => {
      const running = await startRunning();
      for (const method of others) {
        const response = await send(running, method, path);
        expectRefusal(response, 405);
        expect(response.headers.allow!.split(", ").toSorted().join(", ")).toBe(methods);
      }
      const options = await send(running, "OPTIONS", path);
      expect(options).toMatchObject({ status: 204, text: "" });
      expect(options.headers.allow!.split(", ").toSorted().join(", ")).toBe(methods);
      expect(options.headers).not.toHaveProperty("content-type");
    });
  }
});

describe("HEAD", () => {
  const paths = [
    "/v1/group",
    "/v1/group/1",
    "/v1/group/2",
    "/v1/none",
    "/healthz",
    "/openapi.json",
  ];
  for (const path of paths) {
    test(`of ${path} is GET without the body`, async () => {
      const running = await startRunning();
      await send(running, "POST", "/v1/group", { body: group });
      const got = await send(running, "GET", path);
      const head = await send(running, "HEAD", path);
      expect({ status: head.status, text: head.text }).toEqual({ status: got.status, text: "" });
      const { date: one, "x-request-id": first, ...gotHeaders } = got.headers;
      const { date: two, "x-request-id": second, ...headHeaders } = head.headers;
      expect([typeof one, typeof two]).toEqual(["string", "string"]);
      // Each request has an id of its own.
      expect(first).not.toBe(second);
      expect(headHeaders).toEqual(gotHeaders);
      expect(gotHeaders["content-length"]).toBe(String(Buffer.byteLength(got.text)));
    });
  }
});

describe("outside /v1, without a key", () => {
  test("/healthz reports that the database can be used", async () => {
    const { status, text } = await send(await startRunning(), "GET", "/healthz?x=1", { key: null });
    expect(status).toBe(200);
    expect(JSON.parse(text)).toEqual({ status: true, message: "Healthy", data: null });
  });
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
  const created = await running.engine.administration.createKey("brief");
  const key = (created.envelope!.data as { secret_key: string }).secret_key;
  const { status } = await send(running, "POST", "/v1/group", { key, body: group });
  expect({ status, complaints: running.complaints }).toEqual({ status: 401, complaints: [] });
});
