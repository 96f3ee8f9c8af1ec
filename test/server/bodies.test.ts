import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { postGroup } from "./raw-http.ts";
import { send, expectRefusal, groupNames, startRunning } from "./running-server.ts";

const maxBytes = 64 * 1024;
const chunked = { "Transfer-Encoding": "chunked" };

/** Returns valid JSON of this length, padded with white space. */
function padded(bytes: number): string {
  const json = '{"name":"Friends"}';
  return json + " ".repeat(bytes - json.length);
}

describe("413", () => {
  test("rejects a body over 64 KiB, also in chunks, and accepts a shorter one", async () => {
    const running = await startRunning();
    for (const headers of [{}, chunked]) {
      const fits = await send(running, "POST", "/v1/group", { body: padded(maxBytes), headers });
      expect(fits.status).toBe(201);
      const long = { body: padded(maxBytes + 1), headers };
      expectRefusal(await send(running, "POST", "/v1/group", long), 413);
      expectRefusal(await send(running, "PUT", "/v1/group/1", long), 413);
    }
    expect(await groupNames(running)).toEqual(["Friends", "Friends"]);
  });

  test("reaches a client that is still sending", async () => {
    const running = await startRunning();
    // More than the socket buffers, so the server responds long before all of it is sent.
    const body = padded(16 * 1024 * 1024);
    for (let round = 0; round < 5; round += 1) {
      for (const headers of [{}, chunked]) {
        expectRefusal(await send(running, "POST", "/v1/group", { body, headers }), 413);
      }
    }
    expect(await groupNames(running)).toEqual([]);
    expect(running.complaints).toEqual([]);
  });

  test("reaches a client that reads only once all is sent", async () => {
    const running = await startRunning();
    const { port, key } = running;
    const long = postGroup(key, padded(8 * 1024 * 1024));
    const socket = connect(port, "127.0.0.1").pause();
    await new Promise<void>((resolve, reject) => {
      socket.once("error", reject);
      socket.write(long, (error) => (error ? reject(error) : resolve()));
    });
    const [response] = (await once(socket.resume(), "data")) as [Buffer];
    expect(response.toString()).toMatch(/^HTTP\/1.1 413 /);
    await once(socket, "end");
    socket.destroy();
  });

  test("comes in place of 100 Continue", async () => {
    const running = await startRunning();
    const { port, key } = running;
    const long = postGroup(key, padded(maxBytes + 1), "Expect: 100-continue\r\n");
    const socket = connect(port, "127.0.0.1");
    socket.write(long.slice(0, long.indexOf("\r\n\r\n") + 4));
    const [response] = (await once(socket, "data")) as [Buffer];
    expect(response.toString()).toMatch(/^HTTP\/1.1 413 /);
    socket.destroy();
  });
});

describe("415", () => {
  test("rejects a missing Content-Type, and any but JSON", async () => {
    const running = await startRunning();
    await send(running, "POST", "/v1/group", { body: { name: "Kin" } });
    for (const type of [
      undefined,
      "text/plain",
      "application/x-www-form-urlencoded",
      "application/jsonp",
      "json",
      "text/json; application/json",
    ]) {
      const options = { body: { name: "Friends" }, headers: { "Content-Type": type } };
      expectRefusal(await send(running, "POST", "/v1/group", options), 415, type);
      expectRefusal(await send(running, "PUT", "/v1/group/1", options), 415, type);
    }
    expect(await groupNames(running)).toEqual(["Kin"]);
  });

  test.each([
    ["gzip", 415],
    ["identity, br", 415],
    ["x", 415],
    ["identity", 201],
  ])("a body in the encoding %s is %i", async (encoding, status) => {
    const running = await startRunning();
    const headers = { "Content-Encoding": encoding };
    const options = { body: { name: "Friends" }, headers };
    expect((await send(running, "POST", "/v1/group", options)).status).toBe(status);
  });

  test.each([
    "application/json; charset=utf-8",
    "application/json;charset=UTF-8",
    "Application/JSON",
  ])("is not the response to %s", async (type) => {
    const options = { body: { name: "Friends" }, headers: { "Content-Type": type } };
    const response = await send(await startRunning(), "POST", "/v1/group", options);
    expect(response.status).toBe(201);
  });
});

describe("400", () => {
  const bodies: Readonly<Record<string, string | Uint8Array>> = {
    nothing: "",
    "white space": " \n",
    "truncated JSON": '{"name":"Friends"',
    "JSON with surplus": '{"name":"Friends"}}',
    "two JSON objects": '{"name":"Friends"}{"name":"Kin"}',
    JavaScript: "{name:'Friends'}",
    NaN: '{"name":NaN}',
    "a form": "name=Friends",
    NUL: "\0",
    "Latin-1": Buffer.from('{"name":"Café"}', "latin1"),
    "UTF-16": Buffer.from('{"name":"Friends"}', "utf16le"),
    "a surrogate in UTF-8": Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]),
    "an overlong slash": Buffer.from([0x22, 0xc0, 0xaf, 0x22]),
    "nested too deeply": "[".repeat(60_000),
  };

  test("rejects a body that is not JSON, or is nested too deeply", async () => {
    const running = await startRunning();
    for (const [what, body] of Object.entries(bodies)) {
      expectRefusal(await send(running, "POST", "/v1/group", { body }), 400, what);
    }
    expect(await groupNames(running)).toEqual([]);
    expect(running.complaints).toEqual([]);
  });

  test("rejects a path segment that is not UTF-8, percent-encoded", async () => {
    const running = await startRunning();
    for (const segment of ["%", "%2", "%zz", "%ff", "%c3%28", "%ed%a0%80", "%c0%af", "a%E2%82"]) {
      for (const path of [`/v1/sender-id/${segment}`, `/v1/group/${segment}`]) {
        expectRefusal(await send(running, "GET", path), 400, path);
        expectRefusal(await send(running, "DELETE", path), 400, path);
      }
    }
    expect(running.complaints).toEqual([]);
  });
});

// The cases in test/contract have the fields and the page numbers that are invalid.
describe("422", () => {
  const deep = `{"name":${"[".repeat(20_000)}${"]".repeat(20_000)}}`;

  test.each([
    ["POST", "/v1/group", { body: deep }, "name"],
    ["GET", "/v1/group?perPage=1&perPage=2", {}, "perPage"],
    ["GET", "/v1/group?page=", {}, "page"],
  ])("%s %s can only be expressed in raw HTTP", async (method, path, options, field) => {
    const running = await startRunning();
    const response = await send(running, method, path, options);
    expectRefusal(response, 422);
    expect(Object.keys((JSON.parse(response.text) as { errors: object }).errors)).toEqual([field]);
    expect(await groupNames(running)).toEqual([]);
  });
});
