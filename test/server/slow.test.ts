import { once } from "node:events";
import type { Server, ServerOptions } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, test, vi } from "vitest";
import { send, groupNames, startRunning } from "./running-server.ts";
import { parseResponses, postGroup } from "./raw-http.ts";
import { inTime } from "../support/waiting.ts";

/** What the server asks of Node, as it asks for it. */
const asked = vi.hoisted((): { options: ServerOptions | undefined } => ({ options: undefined }));

/** The limits are seconds. Node, not a module of ours, is made to count them fifty times as fast. */
vi.mock(import("node:http"), async (original) => {
  const http = await original();
  const faster = (
    options: ServerOptions,
    heard: Parameters<typeof http.createServer>[1],
  ): Server => {
    asked.options = options;
    const seconds = Object.entries(options).map(([name, value]: [string, unknown]) =>
      typeof value === "number" && name !== "maxHeaderSize" ? [name, value / 50] : [name, value],
    );
    return http.createServer(Object.fromEntries(seconds) as ServerOptions, heard);
  };
  return { ...http, createServer: faster as typeof http.createServer };
});

const friends = '{"name":"Friends"}';

/** What a server answers to the beginning of a request whose end never comes, and that it complains of nothing. */
async function answerToHalf(beginning: (key: string) => string): Promise<number[]> {
  const running = await startRunning();
  const socket = connect(running.port, "127.0.0.1");
  socket.write(beginning(running.key));
  const responses = parseResponses(await inTime("the end of the connection", text(socket)));
  expect(await groupNames(running)).toEqual([]);
  expect(running.complaints).toEqual([]);
  return responses.map(({ status }) => status);
}

describe("408, and the end of the connection", () => {
  test("answers headers that do not come to an end", async () => {
    expect(await answerToHalf(() => "POST /v1/group HTTP/1.1\r\nHost: x\r\n")).toEqual([408]);
  });

  test("answers a body that does not come to an end", async () => {
    expect(await answerToHalf((key) => postGroup(key, friends).slice(0, -1))).toEqual([408]);
  });

  test("answers chunks that do not come to an end", async () => {
    const chunked = "Transfer-Encoding: chunked";
    const start = (key: string): string =>
      `${postGroup(key, "").replace("Content-Length: 0", chunked)}12\r\n${friends}\r\n`;
    expect(await answerToHalf(start)).toEqual([408]);
  });

  test("ends one on which nothing ever comes", async () => {
    const running = await startRunning();
    const socket = connect(running.port, "127.0.0.1").resume();
    await inTime("the end of the connection", once(socket, "close"));
    expect(await groupNames(running)).toEqual([]);
  });
});

test("an idle connection is ended, and the next one is answered", async () => {
  const running = await startRunning();
  const socket = connect(running.port, "127.0.0.1");
  socket.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
  expect(parseResponses(await inTime("the end of the connection", text(socket)))).toMatchObject([
    { status: 200 },
  ]);
  expect((await send(running, "GET", "/healthz")).status).toBe(200);
});

test("every limit is set, from a second to a minute", async () => {
  await startRunning();
  const { options = {} } = asked;
  for (const name of [
    "connectionsCheckingInterval",
    "headersTimeout",
    "keepAliveTimeout",
    "requestTimeout",
  ] as const) {
    expect({ name, value: options[name] }).toEqual({ name, value: expect.any(Number) });
    expect(options[name]).toBeGreaterThanOrEqual(1000);
    expect(options[name]).toBeLessThanOrEqual(60_000);
  }
});
