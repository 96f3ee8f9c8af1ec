import { request } from "node:http";
import { describe, expect, test } from "vitest";
import { send, expectRefusal, groupNames, startRunning, type Running } from "./running-server.ts";

const maxBytes = 64 * 1024;

/** Returns valid JSON of this length, padded with white space. */
function padded(bytes: number): string {
  const json = '{"name":"Friends"}';
  return json + " ".repeat(bytes - json.length);
}

/** Sends a chunked body, and returns the status of the response. */
function sendChunked({ port, key }: Running, chunks: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
    const sending = request({
      host: "127.0.0.1",
      port,
      method: "POST",
      path: "/v1/group",
      headers,
    });
    sending.once("error", reject);
    sending.once("response", (response) => {
      response.resume().once("end", () => resolve(response.statusCode!));
    });
    for (const chunk of chunks) sending.write(chunk);
    sending.end();
  });
}

describe("413", () => {
  test("rejects a body over 64 KiB, and accepts a shorter one", async () => {
    const running = await startRunning();
    const fits = await send(running, "POST", "/v1/group", { body: padded(maxBytes) });
    expect(fits.status).toBe(201);
    expectRefusal(await send(running, "POST", "/v1/group", { body: padded(maxBytes + 1) }), 413);
    expectRefusal(await send(running, "PUT", "/v1/group/1", { body: padded(maxBytes + 1) }), 413);
    expect(await groupNames(running)).toEqual(["Friends"]);
  });

  test("rejects a long chunked body", async () => {
    const running = await startRunning();
    const half = padded(maxBytes / 2);
    const blank = " ".repeat(maxBytes / 2);
    expect(await sendChunked(running, [half, blank])).toBe(201);
    expect(await sendChunked(running, [half, blank, " "])).toBe(413);
    expect(await groupNames(running)).toEqual(["Friends"]);
  });

  test("reaches a client that is still sending", async () => {
    const running = await startRunning();
    // More than the socket buffers, so the server responds long before all of it is sent.
    const body = padded(16 * 1024 * 1024);
    for (let round = 0; round < 5; round += 1) {
      expectRefusal(await send(running, "POST", "/v1/group", { body }), 413);
      expect(await sendChunked(running, [body])).toBe(413);
    }
    expect(await groupNames(running)).toEqual([]);
    expect(running.complaints).toEqual([]);
  });
});

describe("415", () => {
  const others = ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", "json"];
  for (const type of ["", ...others, "text/json; application/json"]) {
    test(`rejects Content-Type ${type === "" ? "missing" : type}`, async () => {
      const running = await startRunning();
      await send(running, "POST", "/v1/group", { body: { name: "Kin" } });
      const body = Buffer.from('{"name":"Friends"}');
      const headers = type === "" ? {} : { "Content-Type": type };
      const untyped = { ...headers, "Content-Length": String(body.length) };
      for (const [method, path] of [
        ["POST", "/v1/group"],
        ["PUT", "/v1/group/1"],
      ] as const) {
        const response = await sendUntyped(running, method, path, untyped, body);
        expect(response).toMatchObject({ status: 415, envelope: { status: false, data: null } });
      }
      expect(await groupNames(running)).toEqual(["Kin"]);
    });
  }

  for (const type of [
    "application/json; charset=utf-8",
    "application/json;charset=UTF-8",
    "Application/JSON",
  ]) {
    test(`is not the response to ${type}`, async () => {
      const body = { name: "Friends" };
      const headers = { "Content-Type": type };
      const response = await send(await startRunning(), "POST", "/v1/group", { body, headers });
      expect(response.status).toBe(201);
    });
  }
});

function sendUntyped(
  { port, key }: Running,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: Buffer,
): Promise<{ status: number; envelope: unknown }> {
  return new Promise((resolve, reject) => {
    const all = { Authorization: `Bearer ${key}`, ...headers };
    const sending = request({ host: "127.0.0.1", port, method, path, headers: all });
    sending.once("error", reject);
    sending.once("response", (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => (text += part));
      response.once("end", () =>
        resolve({ status: response.statusCode!, envelope: JSON.parse(text) as unknown }),
      );
    });
    sending.end(body);
  });
}

describe("400", () => {
  const bodies: readonly (readonly [what: string, body: string | Uint8Array])[] = [
    ["nothing", ""],
    ["white space", " \n"],
    ["truncated JSON", '{"name":"Friends"'],
    ["JSON with surplus", '{"name":"Friends"}}'],
    ["two JSON objects", '{"name":"Friends"}{"name":"Kin"}'],
    ["JavaScript", "{name:'Friends'}"],
    ["NaN", '{"name":NaN}'],
    ["a form", "name=Friends"],
    ["NUL", "\0"],
    ["Latin-1", Buffer.from('{"name":"Café"}', "latin1")],
    ["UTF-16", Buffer.from('{"name":"Friends"}', "utf16le")],
    ["a surrogate in UTF-8", Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
    ["an overlong slash", Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
    ["nested too deeply", "[".repeat(60_000)],
  ];
  for (const [what, body] of bodies) {
    test(`rejects a body that is ${what}`, async () => {
      const running = await startRunning();
      expectRefusal(await send(running, "POST", "/v1/group", { body }), 400);
      expect(await groupNames(running)).toEqual([]);
      expect(running.complaints).toEqual([]);
    });
  }

  for (const segment of ["%", "%2", "%zz", "%ff", "%c3%28", "%ed%a0%80", "%c0%af", "a%E2%82"]) {
    test(`rejects the path segment ${segment}`, async () => {
      const running = await startRunning();
      for (const path of [`/v1/sender-id/${segment}`, `/v1/group/${segment}`]) {
        expectRefusal(await send(running, "GET", path), 400);
        expectRefusal(await send(running, "DELETE", path), 400);
      }
      expect(running.complaints).toEqual([]);
    });
  }
});

describe("422", () => {
  const deep = `{"name":${"[".repeat(20_000)}${"]".repeat(20_000)}}`;
  const bodies: readonly (readonly [body: unknown, fields: readonly string[]])[] = [
    ["{}", ["name"]],
    [{ name: "" }, ["name"]],
    [{ name: 1 }, ["name"]],
    [{ name: "Friends", colour: "red" }, ["colour"]],
    [{ name: "Friends", send_holiday: true }, ["send_holiday"]],
    [{ name: "Friends", send_birthday: "true" }, ["send_birthday"]],
    ['{"name":"Friends","__proto__":{}}', ["__proto__"]],
    [deep, ["name"]],
  ];
  for (const [body, fields] of bodies) {
    const shown = (typeof body === "string" ? body : JSON.stringify(body)).slice(0, 60);
    test(`rejects ${shown}, and names ${fields.join(", ")}`, async () => {
      const running = await startRunning();
      const response = await send(running, "POST", "/v1/group", { body });
      expectRefusal(response, 422);
      expect(Object.keys((JSON.parse(response.text) as { errors: object }).errors)).toEqual(fields);
      expect(await groupNames(running)).toEqual([]);
    });
  }

  for (const body of ["null", "[]", "1", '"name"', "true", '[{"name":"Friends"}]']) {
    test(`or 400 rejects ${body}, which is JSON but not an object`, async () => {
      const running = await startRunning();
      const { status, text } = await send(running, "POST", "/v1/group", { body });
      expect([400, 422]).toContain(status);
      expect(JSON.parse(text)).toMatchObject({ status: false, data: null });
      expect(await groupNames(running)).toEqual([]);
    });
  }

  for (const query of ["perPage=0", "perPage=1001", "perPage=x", "perPage=1&perPage=2", "page="]) {
    test(`rejects a list with ${query}`, async () => {
      const response = await send(await startRunning(), "GET", `/v1/group?${query}`);
      expectRefusal(response, 422);
      const { errors } = JSON.parse(response.text) as { errors: object };
      expect(Object.keys(errors)).toEqual([query.split("=")[0]]);
    });
  }
});
