import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { exchange, parseResponses, postGroup } from "./raw-http.ts";
import { send, startRunning } from "./running-server.ts";

const ownForm = /^[a-z0-9]+-\d+$/;

/** Sends raw headers to /healthz and returns the id in the response. */
async function idFor(port: number, headers: readonly string[]): Promise<string | undefined> {
  const lines = ["GET /healthz HTTP/1.1", "Host: x", "Connection: close", ...headers];
  const [response] = await exchange(port, `${lines.join("\r\n")}\r\n\r\n`);
  return /^X-Request-Id: (.*)$/im.exec(response!.head)?.[1];
}

test("an id of the client is returned and logged", async () => {
  const running = await startRunning();
  const ids = [
    "7",
    "x".repeat(128),
    "0123456789abcdef".repeat(4),
    "00-4bf92f3577b34da6-01",
    "a.b_c~d:e+f/g=",
    "req_0~A",
  ];
  for (const id of ids) {
    const { headers } = await send(running, "GET", "/v1/group", {
      headers: { "x-REQUEST-id": id },
    });
    expect(headers["x-request-id"]).toBe(id);
  }
  expect(running.served.map(({ request_id: id }) => id)).toEqual(ids);
});

test("an unsafe id is replaced", async () => {
  const running = await startRunning();
  const words = 'two words|a,b|quote"|<b>|back\\slash|é|%41'.split("|");
  const unsafe = ["x".repeat(129), "", ...words];
  for (const id of unsafe) {
    expect(await idFor(running.port, [`X-Request-Id: ${id}`])).toMatch(ownForm);
  }
  expect(await idFor(running.port, ["X-Request-Id: one", "x-request-id: two"])).toMatch(ownForm);
  expect(await idFor(running.port, ["X-Request-Id: one", "X-Request-Id: one"])).toMatch(ownForm);
  expect(await idFor(running.port, [])).toMatch(ownForm);
  const logged = running.served.map(({ request_id: id }) => id);
  expect(logged).toHaveLength(unsafe.length + 3);
  for (const id of logged) expect(id).toMatch(ownForm);
});

test("control characters in an id add no line to the response or the log", async () => {
  const running = await startRunning();
  for (const id of ["a\u0000b", "a\u001b[2Jb", "a\u007fb", "a\rb", "a\tb", "a\n b"]) {
    const head = `GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Request-Id: ${id}\r\n\r\n`;
    for (const response of await exchange(running.port, head)) {
      expect(response.head).toMatch(/^X-Request-Id: [a-z0-9]+-\d+$/im);
    }
  }
  for (const { request_id: id } of running.served) expect(id).toMatch(ownForm);
});

test("an id that may contain a key is neither returned nor logged", async () => {
  const running = await startRunning();
  const { key } = running;
  const cases: readonly (readonly [id: string, key: string | null])[] = [
    [key, key],
    [`trace-${key}-1`, key],
    // The server cannot know every key, but it knows what they look like.
    [key, null],
    [key, "another"],
    [`a:${key.toUpperCase()}`, null],
    ["sk_test_51H", null],
    // A key of any other form that the client sent.
    ["opaque.token", "opaque.token"],
  ];
  for (const [id, sent] of cases) {
    const response = await send(running, "GET", "/v1/group", {
      key: sent,
      headers: { "X-Request-Id": id },
    });
    expect(response.headers["x-request-id"]).toMatch(ownForm);
  }
  const logged = running.served.map(({ request_id: id }) => id);
  expect(logged).toHaveLength(cases.length);
  for (const id of logged) expect(id).toMatch(ownForm);
});

test("every response has an id of its own, refusals and malformed requests included", async () => {
  const running = await startRunning({ rateLimit: 20 });
  const requests: readonly (readonly [string, string, number, object?])[] = [
    ["POST", "/v1/group", 201, { body: { name: "Friends" } }],
    ["GET", "/v1/group/1", 200],
    ["HEAD", "/v1/group/1", 200],
    ["OPTIONS", "/v1/group", 204],
    ["GET", "/healthz", 200],
    ["GET", "/openapi.json", 200],
    ["GET", "/nowhere", 404],
    ["GET", "/v1/group/9", 404],
    ["PATCH", "/v1/group", 405],
    ["GET", "/v1/group", 401, { key: null }],
    ["POST", "/v1/group", 415, { body: "x", headers: { "Content-Type": "text/plain" } }],
    ["POST", "/v1/group", 400, { body: "{" }],
    ["POST", "/v1/group", 413, { body: "x".repeat(65 * 1024) }],
    ["POST", "/v1/group", 422, { body: {} }],
  ];
  const ids: unknown[] = [];
  for (const [method, path, status, options] of requests) {
    const response = await send(running, method, path, options);
    expect([method, path, response.status]).toEqual([method, path, status]);
    ids.push(response.headers["x-request-id"]);
  }
  const malformed = [
    "no HTTP\r\n\r\n",
    "GET / HTTP/1.1\r\n\r\n",
    `GET /${"x".repeat(17_000)} HTTP/1.1\r\n`,
  ];
  for (const bytes of malformed) {
    const [response] = await exchange(running.port, bytes);
    ids.push(/^X-Request-Id: (.*)$/im.exec(response!.head)?.[1]);
  }
  for (const id of ids) expect(id).toMatch(ownForm);
  expect(new Set(ids).size).toBe(requests.length + malformed.length);
});

test("pipelined requests keep their ids", async () => {
  const running = await startRunning();
  const socket = connect(running.port, "127.0.0.1");
  const body = '{"name":"Friends"}';
  socket.write(postGroup(running.key, body, "X-Request-Id: first\r\n"));
  socket.write(postGroup(running.key, body, "X-Request-Id: second\r\nConnection: close\r\n"));
  const heads = parseResponses(await text(socket)).map(({ head }) => head);
  expect(heads.map((head) => /^X-Request-Id: (.*)$/im.exec(head)?.[1])).toEqual([
    "first",
    "second",
  ]);
});
