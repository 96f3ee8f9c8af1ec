import { once } from "node:events";
import { Agent, request as httpRequest } from "node:http";
import { connect as connectTo } from "node:net";
import { createEmbedded } from "../../src/engine/embedded.ts";
import { connect } from "../../src/engine/sqlite/database-file.ts";
import { openMemoryStore, openSqliteStore } from "../../src/engine/sqlite/store.ts";
import { createControl } from "../../src/server/control/control.ts";
import { startControlListener } from "../../src/server/control/listener.ts";
import { createRecording } from "../../src/server/control/recording.ts";
import { startServing } from "../../src/server/serve.ts";
import { expect, onTestFinished, test } from "vitest";
import { inTime } from "../support/waiting.ts";
import { newFolder } from "../engine/support/engine-fixtures.ts";

const now = (): number => Date.now() * 1000;

/** Starts a service and the listener that controls it. */
async function start(store = openMemoryStore(now)) {
  const engine = createEmbedded(store, now);
  const created = await engine.administration.createKey("default");
  const { secret_key: key } = created.envelope!.data as { readonly secret_key: string };
  const service = await engine.service(undefined);
  await service["sender-id.create"]({ body: { name: "ACME", purpose: "Orders" } });
  await service["group.create"]({ body: { name: "Customers" } });
  const restore = await engine.snapshot!();
  const recording = createRecording();
  const defects: unknown[] = [];
  const serving = await startServing(
    engine,
    { host: "127.0.0.1", port: 0, rateLimit: undefined, served: () => {}, record: recording.begin },
    { elapsed: () => performance.now(), printError: async () => {} },
  );
  const control = createControl(serving, engine, restore, recording);
  const listener = await startControlListener(control, (error) => defects.push(error));
  onTestFinished(async () => {
    await listener.stop();
    serving.abort();
    await serving.stop();
    await engine.close();
    expect(defects).toEqual([]);
  });
  const { port } = serving;
  const serves = async (method: string, path: string, body?: unknown, as = key) => {
    const response = await fetch(`http://127.0.0.1:${port}/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${as}`, "Content-Type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  };
  return { url: listener.url, key, serves };
}

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly agent?: Agent;
}

/** Sends a request as it is given. @returns status and body */
function send(url: string, { method = "POST", path = "", headers = {}, body, agent }: Sent) {
  const { hostname, port, pathname } = new URL(url);
  return new Promise<{ readonly status: number; readonly text: string }>((resolve, reject) => {
    const request = httpRequest(
      {
        hostname,
        port,
        method,
        path: path.startsWith("/") ? path : `${pathname}/${path}`,
        headers,
        agent,
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        response.on("end", () => resolve({ status: response.statusCode!, text }));
      },
    );
    request.on("error", reject);
    request.end(body);
  });
}

test("resets, reviews, sets faults, shows requests and creates integrations", async () => {
  const { url, key, serves } = await start();
  await serves("DELETE", "/group/1");
  expect(await send(url, { path: "reset" })).toEqual({ status: 204, text: "" });
  expect((await serves("GET", "/group/1")).status).toBe(200);
  const review = JSON.stringify({ name: "ACME", status: "REJECTED" });
  expect((await send(url, { path: "review", body: review })).status).toBe(204);
  expect((await serves("GET", "/sender-id/ACME")).text).toContain("REJECTED");
  await send(url, { method: "PUT", path: "faults", body: '["group.fetch:status=503"]' });
  expect((await serves("GET", "/group/1")).status).toBe(503);
  expect((await send(url, { method: "DELETE", path: "faults" })).status).toBe(204);
  expect((await serves("GET", "/group/1")).status).toBe(200);
  const { text } = await send(url, { method: "GET", path: "requests" });
  const requests = JSON.parse(text) as readonly { readonly status: number }[];
  expect(requests.map(({ status }) => status)).toEqual([200, 200, 503, 200]);
  expect(text).not.toContain(key);
  await send(url, { method: "DELETE", path: "requests" });
  expect((await send(url, { method: "GET", path: "requests" })).text).toBe("[]");
  const made = await send(url, { path: "integrations", body: '{"name":"worker 1"}' });
  expect(JSON.parse(made.text)).toEqual({ name: "worker 1", key: expect.stringMatching(/^sk_/) });
  expect((await send(url, { path: "reset", body: '{"integration":"worker 1"}' })).status).toBe(204);
});

test.each<[path: string, method: string, body: string, field: string]>([
  ["reset", "POST", '{"integration":"none"}', "integration"],
  ["reset", "POST", '{"integration":1}', "integration"],
  ["reset", "POST", '{"all":true}', "all"],
  ["reset", "POST", "not JSON", "body"],
  ["reset", "POST", "null", "body"],
  ["review", "POST", "", "body"],
  ["review", "POST", '{"name":"NONE","status":"APPROVED"}', "name"],
  ["review", "POST", '{"name":"ACME","status":"OPEN"}', "status"],
  ["review", "POST", '{"name":"ACME"}', "status"],
  ["faults", "PUT", '{"0":"group.list:status=503"}', "faults"],
  ["faults", "PUT", '["group.list:status=503","x"]', "faults[1]"],
  ["integrations", "POST", "[]", "body"],
  ["integrations", "POST", '{"name":""}', "name"],
])("refuses %s with %s %s, and names the field", async (path, method, body, field) => {
  const { url, serves } = await start();
  const { status, text } = await send(url, { path, method, body });
  expect([status, JSON.parse(text).error.field]).toEqual([400, field]);
  expect((await serves("GET", "/group/1")).status).toBe(200);
});

test("serves 80 workers at once, each on a connection that it keeps, beside silent clients", async () => {
  const { url } = await start();
  const { port } = new URL(url);
  const silent = Array.from({ length: 200 }, () => connectTo(Number(port), "127.0.0.1"));
  const agents = Array.from({ length: 80 }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
  onTestFinished(() => {
    for (const one of [...silent, ...agents]) one.destroy();
  });
  for (let round = 0; round < 3; round += 1) {
    const responses = await Promise.all(
      agents.map((agent) => send(url, { method: "GET", path: "faults", agent })),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
  }
  const ends = Promise.all(silent.map((socket) => once(socket.resume(), "close")));
  await inTime("the end of silent connections", ends);
});

test("says that another process has locked the database", async () => {
  const { file } = await newFolder();
  const { url } = await start(openSqliteStore(file, now, 10));
  const other = connect(file);
  onTestFinished(() => void other.close());
  other.exec("BEGIN IMMEDIATE");
  const { status, text } = await send(url, { path: "reset" });
  expect([status, text]).toEqual([503, expect.stringContaining("is locked by another process")]);
  other.exec("ROLLBACK");
  expect((await send(url, { path: "reset" })).status).toBe(204);
});

test("refuses web pages, foreign hosts, guesses and long bodies, and does nothing", async () => {
  const { url, serves } = await start();
  await serves("DELETE", "/group/1");
  const { port, pathname } = new URL(url);
  const attacks: readonly [expected: number, sent: Sent][] = [
    [403, { path: "reset", headers: { Origin: "http://127.0.0.1" } }],
    [403, { path: "reset", headers: { Origin: "null" } }],
    [403, { path: "reset", headers: { Host: `evil.example:${port}` } }],
    [403, { path: "reset", headers: { Host: `127.0.0.1.evil.example:${port}` } }],
    [403, { path: "reset", headers: { Host: "127.0.0.1" } }],
    [403, { path: "reset", headers: { Host: `[::1]:${port}` } }],
    [404, { path: "/reset" }],
    [404, { path: "/" }],
    [404, { path: "//reset" }],
    [404, { path: pathname }],
    [404, { path: `${pathname.slice(0, -1)}/reset` }],
    [404, { path: `${pathname.slice(0, -1)}_/reset` }],
    [404, { path: `${pathname.toUpperCase()}/reset` }],
    [404, { path: `/x/..${pathname}/reset` }],
    [404, { path: `${pathname}/reset/` }],
    [404, { path: "/reset?integration=default" }],
    [400, { path: `${pathname}/reset?x` }],
    [404, { path: `${pathname}/constructor` }],
    [404, { path: `/v1/group` }],
    [405, { method: "GET", path: "reset" }],
    [405, { method: "OPTIONS", path: "reset" }],
    [413, { path: "reset", body: " ".repeat(65 * 1024) }],
    [413, { path: "reset", headers: { "Content-Length": "999999999" } }],
  ];
  for (const [expected, sent] of attacks) {
    const { status } = await send(url, sent).catch(() => ({ status: 413 }));
    expect([status, sent]).toEqual([expected, sent]);
  }
  expect((await serves("GET", "/group/1")).status).toBe(404);
});

test("the control listener has the faults and requests of one integration", async () => {
  const { url, serves } = await start();
  const call = async (method: string, path: string, body?: unknown) => {
    const { status, text } = await send(url, {
      method,
      path,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return [status, text === "" ? undefined : (JSON.parse(text) as unknown)];
  };
  const [, one] = await call("POST", "integrations", { name: "one" });
  const { key } = one as { readonly key: string };
  const sender = { name: "ONE", purpose: "Alerts" };
  expect((await serves("POST", "/sender-id", sender, key)).status).toBe(201);
  expect(await call("DELETE", "requests?integration=one")).toEqual([204, undefined]);
  const fault = "group.list:status=503";
  expect(await call("PUT", "faults?integration=one", [fault])).toEqual([204, undefined]);
  expect(await call("GET", "faults?integration=one")).toEqual([200, [fault]]);
  expect(await call("GET", "faults")).toEqual([200, []]);
  expect((await serves("GET", "/group")).status).toBe(200);
  expect(await call("GET", "requests?integration=one")).toEqual([200, []]);
  expect((await call("GET", "requests"))[1]).toHaveLength(1);
  expect(await call("DELETE", "requests?integration=default")).toEqual([204, undefined]);
  expect((await call("GET", "requests"))[1]).toEqual([]);
  const review = { name: "ONE", status: "rejected" };
  expect(await call("POST", "review", { ...review, integration: "one" })).toEqual([204, undefined]);
  expect(await call("POST", "review", review)).toMatchObject([400, { error: { field: "name" } }]);
  for (const [path, field] of [
    ["faults?integration=two", "integration"],
    ["requests?worker=one", "worker"],
    ["faults?integration=one&integration=two", "integration"],
  ] as const) {
    expect(await call("GET", path)).toMatchObject([400, { error: { field } }]);
  }
  const twice = "faults?integration=one&integration=default";
  const message = "faults takes only integration, once";
  expect(await call("DELETE", twice)).toMatchObject([400, { error: { message } }]);
  expect(await call("GET", "faults?integration=one")).toEqual([200, [fault]]);
  expect(await call("POST", "reset?integration=one")).toEqual([
    400,
    {
      error: {
        field: "integration",
        message: "reset takes no parameters",
        hint: "reset and review take integration in the body, requests and faults in the query",
      },
    },
  ]);
  expect(await call("GET", "faults?integration=one")).toEqual([200, [fault]]);
  expect(await call("PUT", "faults", ["nope:status=503"])).toMatchObject([
    400,
    { error: { field: "faults[0]", message: expect.stringMatching(/^faults\[0\] "nope/) } },
  ]);
});
