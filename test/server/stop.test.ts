import { once } from "node:events";
import { Agent } from "node:http";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { parseResponses, postGroup } from "./raw-http.ts";
import { send, startRunning, type Running } from "./running-server.ts";
import { until } from "../support/waiting.ts";

type Failure = { readonly code?: string };

/** Sends requests one after another until the port is closed, and returns how the others ended. */
async function load(running: Running, keepAlive: boolean): Promise<(number | string)[]> {
  const agent = new Agent({ keepAlive, maxSockets: 1 });
  const ends: (number | string)[] = [];
  for (;;) {
    const end = await send(running, "POST", "/v1/group", { agent, body: { name: "Load" } }).then(
      ({ status }) => status,
      ({ code = "lost" }: Failure) => code,
    );
    if (end === "ECONNREFUSED") return ends;
    ends.push(end);
  }
}

/** Sends eight requests at once whenever the ones before have their responses, until the connection is closed. */
async function pipeline({ port, key }: Running): Promise<{ sent: number; statuses: number[] }> {
  const burst = postGroup(key, '{"name":"Pipelined"}').repeat(8);
  const socket = connect(port, "127.0.0.1");
  let sent = 8;
  let received = "";
  socket.write(burst);
  socket.on("data", (chunk: Buffer) => {
    received += chunk.toString();
    const isDone = received.split("HTTP/1.1 ").length - 1 === sent && received.endsWith("}");
    if (!isDone || /^connection: close$/im.test(received)) return;
    sent += 8;
    socket.write(burst);
  });
  await new Promise<void>((resolve, reject) => {
    socket.once("error", reject);
    socket.once("close", () => resolve());
  });
  return { sent, statuses: parseResponses(received).map(({ status }) => status) };
}

describe("a server that stops under load", () => {
  test.for([1, 2, 3])("resets no request: round %i", async () => {
    const running = await startRunning();
    const clients = [1, 2, 3, 4].flatMap(() => [load(running, true), load(running, false)]);
    const pipelined = pipeline(running);
    await until("the load has begun", async () => running.served.length > 100);
    await running.stop();
    for (const ends of await Promise.all(clients)) {
      expect(new Set(ends)).toStrictEqual(new Set([201]));
    }
    const { sent, statuses } = await pipelined;
    expect(statuses).toStrictEqual(Array.from({ length: sent }, () => 201));
  });
});

describe("a server that stops", () => {
  test("carries out what arrives on an idle connection within a second", async () => {
    const running = await startRunning();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    expect((await send(running, "GET", "/healthz", { agent })).status).toBe(200);
    const stopped = running.stop();
    await until("the port is closed", () =>
      send(running, "GET", "/healthz").then(
        () => false,
        ({ code }: Failure) => code === "ECONNREFUSED",
      ),
    );
    const late = await send(running, "POST", "/v1/group", { agent, body: { name: "Late" } });
    expect(late).toMatchObject({ status: 201, headers: { connection: "close" } });
    await stopped;
  });

  test("has a health of 503 on open connections", async () => {
    const running = await startRunning();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    expect((await send(running, "GET", "/healthz", { agent })).status).toBe(200);
    const stopped = running.stop();
    const health = await send(running, "GET", "/healthz", { agent });
    expect(health).toMatchObject({ status: 503, headers: { connection: "close" } });
    expect(Number(health.headers["retry-after"])).toBeGreaterThan(0);
    expect(running.served.at(-1)).toMatchObject({ status: 503, cause: "stopping" });
    await stopped;
  });

  test("ends at once without connections, and after a second with idle ones", async () => {
    const empty = await startRunning();
    await empty.stop();
    const running = await startRunning();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    await send(running, "GET", "/healthz", { agent });
    const silent = connect(running.port, "127.0.0.1").resume();
    await once(silent, "connect");
    const ended = running.stop().then(() => "ended");
    expect(await Promise.race([ended, sleep(5000, "late")])).toBe("ended");
  });
});
