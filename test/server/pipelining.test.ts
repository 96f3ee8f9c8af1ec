import { once } from "node:events";
import { Agent } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { readFault } from "../../src/server/faults.ts";
import { inTime } from "../support/waiting.ts";
import { send, groupNames, startRunning } from "./running-server.ts";
import { exchange, inChunks, parseResponses, postGroup } from "./raw-http.ts";

const close = "Connection: close\r\n";

function get(path: string, key: string, headers = ""): string {
  return `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n${headers}\r\n`;
}

test("100 pipelined requests get responses in order, and each is stored once", async () => {
  const running = await startRunning();
  const names = Array.from({ length: 100 }, (_, index) => `Group ${index}`);
  const requests = names.map((name) => postGroup(running.key, JSON.stringify({ name })));
  const responses = await exchange(
    running.port,
    requests.join("") + get("/healthz", running.key, close),
  );
  expect(responses.map(({ status }) => status)).toEqual([...names.map(() => 201), 200]);
  const created = responses.slice(0, -1).map(({ body }) => JSON.parse(body) as { data: unknown });
  expect(created.map(({ data }) => data)).toMatchObject(
    names.map((name, index) => ({ name, id: index + 1 })),
  );
  expect(await groupNames(running)).toEqual(names.toReversed());
});

test("a request that arrives byte by byte is accepted", async () => {
  const running = await startRunning();
  const socket = connect(running.port, "127.0.0.1").setNoDelay(true);
  const request =
    postGroup(running.key, '{"name":"Friends"}') + postGroup(running.key, "{}", close);
  for (const byte of request) await new Promise((sent) => socket.write(byte, sent));
  expect(parseResponses(await text(socket))).toMatchObject([{ status: 201 }, { status: 422 }]);
  expect(await groupNames(running)).toEqual(["Friends"]);
});

// RFC 9112, 9.3.2: only requests with safe methods may be handled concurrently.
test("a request sees the effects of earlier ones on its connection", async () => {
  const running = await startRunning();
  const { key, port } = running;
  const statuses = async (...requests: string[]) =>
    (await exchange(port, requests.join(""))).map(({ status }) => status);
  const found = await statuses(
    postGroup(key, '{"name":"Friends"}'),
    get("/v1/group/1", key),
    get("/v1/group/1", key).replace("GET", "DELETE"),
    get("/v1/group/1", key, close),
  );
  expect(found).toEqual([201, 200, 200, 404]);
});

const [friends, kin] = ['{"name":"Friends"}', '{"name":"Kin"}'] as const;

/** Requests of which only the first is carried out, and the statuses of all responses. */
const stopped: Readonly<Record<string, readonly [(key: string) => string, readonly number[]]>> = {
  garbage: [(key) => `${postGroup(key, friends)}garbage\r\n\r\n`, [201, 400]],
  "Connection: close": [(key) => postGroup(key, friends, close) + postGroup(key, kin), [201]],
};

test.each(Object.entries(stopped))(
  "%s ends the connection after the responses to earlier requests",
  async (_, [requests, statuses]) => {
    const running = await startRunning();
    const responses = await exchange(running.port, requests(running.key));
    expect(responses.map(({ status }) => status)).toEqual(statuses);
    expect(await groupNames(running)).toEqual(["Friends"]);
  },
);

test("one connection carries any number of requests, including refused ones", async () => {
  const running = await startRunning();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const ports = new Set<number | undefined>();
  agent.on("free", (socket: { localPort?: number }) => void ports.add(socket.localPort));
  const bodies: readonly unknown[] = [{ name: "Friends" }, {}, "{", { name: "Kin" }];
  const statuses: number[] = [];
  for (const body of bodies) {
    statuses.push((await send(running, "POST", "/v1/group", { body, agent })).status);
  }
  for (const path of ["/v1/nothing", "/nothing", "/healthz", "/v1/group/1"]) {
    statuses.push((await send(running, "GET", path, { agent })).status);
  }
  statuses.push((await send(running, "GET", "/v1/group", { agent, key: null })).status);
  statuses.push((await send(running, "HEAD", "/v1/group", { agent })).status);
  expect(statuses).toEqual([201, 422, 400, 201, 404, 404, 200, 200, 401, 200]);
  expect(ports.size).toBe(1);
});

test("a client that never reads its responses does not block others", async () => {
  const running = await startRunning();
  await send(running, "POST", "/v1/group", { body: { name: "x".repeat(255) } });
  const socket = connect(running.port, "127.0.0.1")
    .pause()
    .on("error", () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  socket.write(get("/openapi.json", running.key).repeat(2000));
  for (let round = 0; round < 20; round += 1) {
    expect(await groupNames(running)).toEqual(["x".repeat(255)]);
  }
});

test("a client that closes its sending side gets all responses, also slow ones", async () => {
  const running = await startRunning({
    faults: [readFault("group.create:latency=300ms"), readFault("group.list:slow=300ms")],
  });
  const { key, port } = running;
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  socket.end(postGroup(key, friends) + postGroup(key, kin) + get("/v1/group", key));
  const responses = parseResponses(await inTime("the end of the connection", text(socket)));
  expect(responses.map(({ status }) => status)).toEqual([201, 201, 200]);
  expect(await groupNames(running)).toEqual(["Kin", "Friends"]);
});

test("a request cut short is refused after the responses to earlier ones", async () => {
  const running = await startRunning();
  const socket = connect({ port: running.port, host: "127.0.0.1", allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  const half = inChunks(postGroup(running.key, "5\r\n{"));
  socket.end(postGroup(running.key, '{"name":"Friends"}') + get("/v1/group", running.key) + half);
  const responses = parseResponses(await text(socket));
  expect(responses.map(({ status }) => status)).toEqual([201, 200, 400]);
  expect(await groupNames(running)).toEqual(["Friends"]);
});

test("what waits behind a hundred requests is not carried out, and those are answered before the end", async () => {
  const running = await startRunning();
  const names = Array.from({ length: 300 }, (_, index) => `Group ${index}`);
  const requests = names.map((name) => postGroup(running.key, JSON.stringify({ name })));
  const responses = await exchange(running.port, requests.join(""));
  const { length } = responses;
  expect(length).toBeGreaterThan(100);
  expect(length).toBeLessThan(300);
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]));
  expect(responses.at(-1)!.head).toMatch(/^connection: close$/im);
  expect(await groupNames(running)).toEqual(names.slice(0, length).toReversed());
});

test("a client that pipelines endlessly without reading is disconnected, and others are served", async () => {
  const running = await startRunning();
  const socket = connect(running.port, "127.0.0.1").pause();
  const closed = new Promise<void>((resolve) => void socket.once("close", () => resolve()));
  socket.on("error", () => {});
  const many = get("/healthz", running.key).repeat(1000);
  // Bounded, so that a server without the limit fails the test instead of exhausting memory.
  for (let sent = 0; sent < 100 && !socket.destroyed; sent += 1) socket.write(many);
  await inTime("the end of the connection", closed);
  expect(running.served.length).toBeLessThan(1000);
  expect((await send(running, "GET", "/v1/group")).status).toBe(200);
});
