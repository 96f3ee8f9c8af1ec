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

describe("400", () => {
  const bodies: Readonly<Record<string, string | Uint8Array>> = {
    nothing: "",
    "white space": " \n",
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
});

test("422 names a field that is nested too deeply", async () => {
  const running = await startRunning();
  const body = `{"name":${"[".repeat(20_000)}${"]".repeat(20_000)}}`;
  const response = await send(running, "POST", "/v1/group", { body });
  expectRefusal(response, 422);
  expect(Object.keys((JSON.parse(response.text) as { errors: object }).errors)).toEqual(["name"]);
});
