import {
  array,
  assert,
  asyncProperty,
  constant,
  constantFrom,
  integer,
  nat,
  oneof,
  option,
  record,
  string,
  tuple,
  uint8Array,
} from "fast-check";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { send, startRunning, type Running } from "../server/running-server.ts";
import { parseResponses, postGroup } from "../server/raw-http.ts";
import { anyJson, anyWord, nastyText } from "./any-json.ts";
import { cases, timeout } from "../support/fuzz-runs.ts";

/** Statuses of ruling 3 and of HTTP itself. */
const documented = [200, 201, 204, 400, 401, 404, 405, 408, 409, 413, 415, 417, 422, 429, 431, 503];

/** Sends bytes, ends the stream, and returns everything that the server sends until it closes the connection. */
function converse(port: number, bytes: Uint8Array): Promise<Buffer> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" });
    const chunks: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    // A server that has responded need not read the rest.
    socket.on("error", () => {});
    socket.once("close", () => resolve(Buffer.concat(chunks)));
    socket.end(bytes);
  });
}

function expectEnvelope(status: number, body: string): void {
  const envelope = JSON.parse(body) as Record<string, unknown>;
  expect(Object.keys(envelope).slice(0, 3)).toEqual(["status", "message", "data"]);
  expect(envelope["status"]).toBe(status < 300);
  expect(envelope["message"]).toMatch(/^[A-Z]/);
  expect(body).not.toMatch(/\bat .*:\d+:\d+|SQLITE|node_modules/);
}

async function expectUp(running: Running): Promise<void> {
  expect(running.complaints).toEqual([]);
  expect((await send(running, "GET", "/healthz")).status).toBe(200);
}

const methods = oneof(
  anyWord("GET POST PUT DELETE"),
  anyWord("HEAD OPTIONS PATCH TRACE CONNECT QUERY get PROPFIND M-SEARCH"),
);

const segment = oneof(
  nastyText.map((text) => encodeURIComponent(text.toWellFormed())),
  constantFrom("1", "2", "01", "1.0", "-1", "9".repeat(30), "ACME", ".", "..", "%2e", "%2F", "%"),
  constantFrom("%zz", "%C3", "%00", "%FF%FE", "%ed%a0%80", "a+b", "a;b", "x".repeat(3000)),
  uint8Array({ maxLength: 6 }).map((bytes) =>
    [...bytes].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
  ),
);

const query = array(
  tuple(
    constantFrom("perPage", "page", "per_page", "x", ""),
    oneof(integer().map(String), segment, constantFrom("1e3", "0x10", "", " 1", "１", "NaN")),
  ).map((pair) => pair.join("=")),
  { maxLength: 4 },
).map((all) => (all.length === 0 ? "" : `?${all.join("&")}`));

const path = tuple(
  oneof(
    constantFrom("/v1/group", "/v1/sender-id"),
    constantFrom("/v1/group/", "/v1/sender-id/").chain((start) =>
      segment.map((end) => start + end),
    ),
    anyWord("/ * // /v1 /v1/ /v2/group /healthz /openapi.json /v1/group/1/2"),
    constantFrom("http://127.0.0.1/v1/group", "/v1/group#x", "/%76%31/group", "?", "/v1/__proto__"),
  ),
  query,
).map((parts) => parts.join(""));

const field = anyWord(
  "name purpose send_birthday send_holiday birthday_message sender_id __proto__ constructor id",
);
const value = oneof(
  anyJson,
  constantFrom('"ACME"', '"1"', "true", "false", "null", '"{first_name}"'),
);
const fields = array(
  tuple(field, value).map(([name, text]) => `${JSON.stringify(name)}:${text}`),
  { maxLength: 6 },
).map((texts) => Buffer.from(`{${texts.join(",")}}`));

const body = oneof(
  fields,
  constant(Buffer.alloc(0)),
  anyJson.map((text) => Buffer.from(text)),
  uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
  constantFrom(
    Buffer.from("[".repeat(30_000)),
    Buffer.from("[".repeat(30_000) + "]".repeat(30_000)),
    Buffer.from(`{"name":${"[".repeat(30_000)}${"]".repeat(30_000)}}`),
    Buffer.from(`{"name":"${"x".repeat(70_000)}"}`),
    Buffer.from(`\ufeff{"name":"BOM"}`),
  ),
);

type Framing = (content: Buffer) => Buffer;
const withLength =
  (length: (real: number) => number | string): Framing =>
  (content) =>
    Buffer.concat([Buffer.from(`Content-Length: ${length(content.length)}\r\n\r\n`), content]);
const chunked =
  (size: (real: number) => string, end = "0\r\n\r\n"): Framing =>
  (content) =>
    Buffer.concat([
      Buffer.from(`Transfer-Encoding: chunked\r\n\r\n${size(content.length)}\r\n`),
      content,
      Buffer.from(`\r\n${end}`),
    ]);
/** Correct and incorrect headers for the length of a body. */
const framing = oneof(
  { weight: 6, arbitrary: constant(withLength((real) => real)) },
  { weight: 2, arbitrary: constant(chunked((real) => real.toString(16))) },
  {
    weight: 3,
    arbitrary: constantFrom<Framing>(
      withLength((real) => real + 5),
      withLength((real) => Math.max(0, real - 5)),
      withLength(() => -1),
      withLength(() => "1e3"),
      withLength((real) => `${real}, ${real}`),
      withLength((real) => `${real}\r\nContent-Length: ${real + 1}`),
      chunked((real) => (real + 5).toString(16)),
      chunked((real) => (real - 1).toString(16)),
      chunked(() => "xyz"),
      chunked((real) => real.toString(16), ""),
      chunked((real) => `${real.toString(16)};a=b`, "0\r\nX: trailer\r\n\r\n"),
      (content) => Buffer.concat([Buffer.from("\r\n"), content]),
    ),
  },
);

const headerValue = oneof(
  string({ unit: "binary-ascii", maxLength: 10 }),
  constantFrom("x".repeat(9000), "", "a, b", "100-continue", "keep-alive, Upgrade", "gzip", "*/*"),
);
const header = tuple(
  oneof(
    anyWord("Content-Type Authorization Host Connection Expect Upgrade Accept-Encoding"),
    anyWord("Transfer-Encoding X-HTTP-Method-Override Cookie TE"),
    string({ minLength: 1, maxLength: 5 }),
  ),
  headerValue,
).map(([name, text]) => `${name}: ${text}\r\n`);

const contentType = constantFrom(
  "application/json",
  "application/json",
  "application/json; charset=utf-8",
  "text/plain",
  "",
);
const authorization = oneof(
  { weight: 8, arbitrary: constant((key: string) => `Bearer ${key}`) },
  {
    weight: 1,
    arbitrary: constantFrom(
      (key: string) => `bearer   ${key}  `,
      (key: string) => `Basic ${key}`,
      (key: string) => `Bearer ${key} ${key}`,
      (key: string) => `Bearer ${key}x`,
      () => "Bearer",
      () => "",
    ),
  },
);

const anyRequest = record({
  method: methods,
  path,
  contentType: option(contentType, { freq: 10 }),
  authorization,
  further: array(header, { maxLength: 3 }),
  body,
  framing,
});

describe("a server", () => {
  test("responds to any request with a documented status and an envelope", timeout, async () => {
    const running = await startRunning();
    await send(running, "POST", "/v1/group", { body: { name: "Kin" } });
    await send(running, "POST", "/v1/sender-id", { body: { name: "ACME", purpose: "Orders" } });
    await assert(
      asyncProperty(anyRequest, async (asked) => {
        const head = [
          `${asked.method} ${asked.path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n`,
          `Authorization: ${asked.authorization(running.key)}\r\n`,
          asked.contentType === null ? "" : `Content-Type: ${asked.contentType}\r\n`,
          ...asked.further,
        ].join("");
        const bytes = Buffer.concat([Buffer.from(head), asked.framing(asked.body)]);
        const received = (await converse(running.port, bytes)).toString();
        const text = received.replace("HTTP/1.1 100 Continue\r\n\r\n", "");
        expect(running.complaints).toEqual([]);
        // Tunnels and incomplete requests get no response.
        if (text === "") return;
        const [responseHead, rest] = [
          text.split("\r\n\r\n", 1)[0]!,
          text.slice(text.indexOf("\r\n\r\n") + 4),
        ];
        const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(responseHead)?.[1]);
        expect(documented).toContain(status);
        // A request that is not valid HTTP has no method.
        const isUnreadable = status === 400 || status === 431;
        const isBare = asked.method === "HEAD" && !(isUnreadable && rest !== "");
        const isOpenApi = asked.path.startsWith("/openapi.json") && status === 200;
        const isEmpty = isBare || status === 204;
        expect(rest === "").toBe(isEmpty);
        if (!isEmpty && !isOpenApi) expectEnvelope(status, rest);
      }),
      cases(500),
    );
    await expectUp(running);
  });

  test("responds to any bytes with complete envelopes or not at all", timeout, async () => {
    const running = await startRunning();
    const { key } = running;
    const several = [
      postGroup(key, '{"name":"Friends"}'),
      `GET /v1/group?perPage=2 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`,
      postGroup(key, '12\r\n{"name":"Friends"}\r\n0\r\n\r\n').replace(
        /Content-Length.*/,
        "Transfer-Encoding: chunked",
      ),
      `DELETE /v1/group/1 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`,
    ].join("");
    const insertion = oneof(
      uint8Array({ maxLength: 4 }).map((bytes) => Buffer.from(bytes).toString("latin1")),
      constantFrom("\r\n", "\r\n\r\n", "\n", "\0", " ", ": ", "HTTP/1.1", "HTTP/9.9", "%", "\t"),
      constantFrom(
        "Content-Length: 3\r\n",
        "Transfer-Encoding: chunked\r\n",
        "Connection: close\r\n",
      ),
    );
    const changed = array(tuple(nat(several.length), nat(12), insertion), {
      minLength: 1,
      maxLength: 4,
    }).map((changes) => {
      let text = several;
      for (const [at, length, inserted] of changes) {
        text = text.slice(0, at) + inserted + text.slice(at + length);
      }
      return Buffer.from(text, "latin1");
    });
    const cut = nat(several.length).map((length) => Buffer.from(several.slice(0, length)));
    const bytes = oneof(changed, cut, uint8Array({ minLength: 1, maxLength: 200 }));
    await assert(
      asyncProperty(bytes, async (sent) => {
        const received = await converse(running.port, sent);
        expect(running.complaints).toEqual([]);
        for (const { status, body: text } of parseResponses(received.toString())) {
          expect(documented).toContain(status);
          expectEnvelope(status, text);
        }
      }),
      cases(500),
    );
    await expectUp(running);
  });
});
