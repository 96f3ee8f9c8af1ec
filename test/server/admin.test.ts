import { EventEmitter, once } from "node:events";
import { describe, expect, test } from "vitest";
import type { Embedded } from "../../src/engine/embedded.ts";
import { inTime, until } from "../support/waiting.ts";
import { exchange } from "./raw-http.ts";
import { send, startRunning } from "./running-server.ts";

/** Starts a server; `admin` is its listener for operators. */
async function startAdmin(engine?: (engine: Embedded) => Embedded) {
  const running = await startRunning({ hasMetrics: true, ...(engine && { engine }) });
  return { running, admin: { ...running, port: running.adminPort! } };
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

describe("the listener for operators", () => {
  test("serves health checks and metrics, which the main one does not", async () => {
    const { running, admin } = await startAdmin();
    for (const path of ["/healthz", "/livez", "/readyz", "/metrics"]) {
      const { status, headers } = await send(admin, "GET", path, { key: null });
      expect([path, status, headers.connection]).toEqual([path, 200, "close"]);
    }
    for (const path of ["/v1/group", "/openapi.json", "/", "/metrics/", "/toString"]) {
      expect((await send(admin, "GET", path)).status).toBe(404);
    }
    expect((await send(running, "GET", "/metrics")).status).toBe(404);
  });

  test("accepts only GET, HEAD and OPTIONS", async () => {
    const { admin } = await startAdmin();
    expect((await send(admin, "POST", "/metrics", { body: {} })).status).toBe(405);
    const head = await send(admin, "HEAD", "/metrics");
    expect([head.status, head.text]).toEqual([200, ""]);
    const { status, headers } = await send(admin, "OPTIONS", "/metrics");
    expect([status, headers.allow]).toEqual([204, "GET, HEAD, OPTIONS"]);
  });

  test("answers one request on a connection, and does not queue further ones", async () => {
    let checks = 0;
    const database = new EventEmitter();
    const { admin } = await startAdmin((engine) => ({
      ...engine,
      // A database that is slow to respond.
      checkHealth: async () => {
        checks += 1;
        await once(database, "response");
      },
    }));
    const responses = exchange(admin.port, get("/healthz").repeat(3));
    await until("the first check", () => checks === 1);
    database.emit("response");
    const received = await inTime("the end of the connection", responses);
    expect(received.map(({ status }) => status)).toEqual([200]);
    expect(checks).toBe(1);
    expect((await send(admin, "GET", "/livez")).status).toBe(200);
  });

  test("reads no body, and rejects malformed requests and long headers", async () => {
    const { admin } = await startAdmin();
    const live = get("/livez").slice(0, -2);
    for (const [bytes, status] of [
      [`${live}Content-Length: 100000000\r\n\r\n`, 200],
      ["nonsense\r\n\r\n", 400],
      [`${live}A: ${"a".repeat(9000)}\r\n\r\n`, 431],
      [`${live}Host: b\r\n\r\n`, 400],
    ] as const) {
      expect(await exchange(admin.port, bytes)).toMatchObject([{ status }]);
    }
  });

  test("ends with the server", async () => {
    const { running, admin } = await startAdmin();
    await running.stop();
    await expect(send(admin, "GET", "/livez")).rejects.toThrow("ECONNREFUSED");
  });
});
