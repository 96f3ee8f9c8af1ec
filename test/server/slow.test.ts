import { once } from "node:events";
import type { Server, ServerOptions } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, test, vi } from "vitest";
import { send, groupNames, startRunning } from "./running-server.ts";
import { inChunks, parseResponses, postGroup } from "./raw-http.ts";
import { inTime } from "../support/waiting.ts";

/** The options that the server passes to Node. */
const passed = vi.hoisted((): { options: ServerOptions | undefined } => ({ options: undefined }));

/** The limits are seconds long. This mock of Node, not of our modules, makes them twenty times shorter. */
vi.mock(import("node:http"), async (original) => {
  const http = await original();
  const faster = (
    options: ServerOptions,
    listener: Parameters<typeof http.createServer>[1],
  ): Server => {
    passed.options = options;
    const seconds = Object.entries(options).map(([name, value]: [string, unknown]) =>
      typeof value === "number" && name !== "maxHeaderSize" ? [name, value / 20] : [name, value],
    );
    return http.createServer(Object.fromEntries(seconds) as ServerOptions, listener);
  };
  return { ...http, createServer: faster as typeof http.createServer };
});

const friends = '{"name":"Friends"}';

/** Sends a request that never ends, and returns the statuses of the responses. */
async function statusesOfHalf(beginning: (key: string) => string): Promise<number[]> {
  const running = await startRunning();
  const socket = connect(running.port, "127.0.0.1");
  socket.write(beginning(running.key));
  const responses = parseResponses(await inTime("the end of the connection", text(socket)));
  expect(await groupNames(running)).toEqual([]);
  expect(running.complaints).toEqual([]);
  return responses.map(({ status }) => status);
}

describe("408 and a closed connection", () => {
  test.each<[string, (key: string) => string]>([
    ["headers that never end", () => "POST /v1/group HTTP/1.1\r\nHost: x\r\n"],
    ["a body that never ends", (key) => postGroup(key, friends).slice(0, -1)],
    ["chunks that never end", (key) => inChunks(postGroup(key, `12\r\n${friends}\r\n`))],
  ])("for %s", async (_, beginning) => {
    expect(await statusesOfHalf(beginning)).toEqual([408]);
  });

  test("for a connection without a request: closed only", async () => {
    const running = await startRunning();
    const socket = connect(running.port, "127.0.0.1").resume();
    await inTime("the end of the connection", once(socket, "close"));
    expect(await groupNames(running)).toEqual([]);
  });
});

test("an idle connection is closed, and the next one is served", async () => {
  const running = await startRunning();
  const socket = connect(running.port, "127.0.0.1");
  socket.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
  expect(parseResponses(await inTime("the end of the connection", text(socket)))).toMatchObject([
    { status: 200 },
  ]);
  expect((await send(running, "GET", "/healthz")).status).toBe(200);
});

test("every timeout is set, from a second to 65, so that a load balancer closes idle connections first", async () => {
  await startRunning();
  const { options = {} } = passed;
  const { connectionsCheckingInterval, headersTimeout, keepAliveTimeout, requestTimeout } = options;
  const timeouts = {
    connectionsCheckingInterval,
    headersTimeout,
    keepAliveTimeout,
    requestTimeout,
  };
  for (const [name, timeout] of Object.entries(timeouts)) {
    expect(timeout, name).toBeGreaterThanOrEqual(1000);
    expect(timeout, name).toBeLessThanOrEqual(65_000);
  }
  expect(keepAliveTimeout).toBe(65_000);
});
