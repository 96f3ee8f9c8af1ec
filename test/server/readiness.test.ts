import { once } from "node:events";
import { Agent } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { SendctlError } from "../../src/core/error.ts";
import { createReadiness } from "../../src/server/public-endpoints.ts";
import { until } from "../support/waiting.ts";
import { parseResponses } from "./raw-http.ts";
import { send, startRunning, type Running } from "./running-server.ts";

async function probe(running: Running, path: string) {
  const { status, text, headers } = await send(running, "GET", path, { key: null });
  return { status, headers, body: JSON.parse(text) as Record<string, unknown> };
}

describe("health endpoints", () => {
  test.each([
    ["/livez?x=1", "Alive"],
    ["/readyz", "Ready"],
    ["/healthz?x=1", "Healthy"],
  ])("respond to %s with 200 and no data", async (path, message) => {
    const { status, body } = await probe(await startRunning(), path);
    expect({ status, body }).toEqual({ status: 200, body: { status: true, message, data: null } });
  });

  for (const [problem, cause] of [
    ["unreachable", "database"],
    ["locked", "writes blocked"],
  ] as const) {
    test(`/readyz names ${cause} for a database that is ${problem}`, async () => {
      const failure = new SendctlError("database", "/var/detail.db", { database: problem });
      const running = await startRunning({
        engine: (engine) => ({ ...engine, checkHealth: () => Promise.reject(failure) }),
      });
      const { status, headers, body } = await probe(running, "/readyz");
      expect(status).toBe(503);
      expect(headers["retry-after"]).toBe("1");
      expect(body).toMatchObject({ status: false, data: { cause } });
      expect(JSON.stringify(body)).not.toContain("detail");
      expect((await probe(running, "/livez")).status).toBe(200);
    });
  }

  test("/readyz hides a defect, which is reported", async () => {
    const running = await startRunning({
      engine: (engine) => ({ ...engine, checkHealth: () => Promise.reject(new Error("detail")) }),
    });
    const { status, body } = await probe(running, "/readyz");
    expect([status, JSON.stringify(body).includes("detail")]).toEqual([500, false]);
    expect(running.complaints).toHaveLength(1);
  });

  test("requests on open connections are served after a drain, which then closes them", async () => {
    const running = await startRunning();
    const socket = connect(running.port, "127.0.0.1");
    await once(socket, "connect");
    await probe(running, "/livez");
    const drained = running.drain(1);
    const isRefused = (): Promise<boolean> =>
      send(running, "GET", "/livez").then(
        () => false,
        () => true,
      );
    await until("connections are refused", isRefused);
    socket.write("GET /livez HTTP/1.1\r\nHost: x\r\n\r\n".repeat(3));
    const responses = parseResponses(await text(socket));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    const closing = responses.map(({ head }) => /^connection: close$/im.test(head));
    expect(closing).toEqual([false, false, true]);
    await drained;
  });

  test("connections are kept while the server drains", async () => {
    const running = await startRunning();
    const drained = running.drain(3_600_000);
    const agent = new Agent({ keepAlive: true });
    const { status, headers, text } = await send(running, "GET", "/readyz", { agent });
    expect([status, headers.connection]).toEqual([503, "keep-alive"]);
    expect(JSON.parse(text)).toMatchObject({ data: { cause: "draining" } });
    agent.destroy();
    running.abort();
    await drained;
  });
});

describe("a readiness check", () => {
  test("runs once for concurrent requests, and again after a quarter of a second", async () => {
    let now = 0;
    let count = 0;
    let end: (() => void) | undefined;
    const check = (): Promise<void> => {
      count += 1;
      return new Promise((resolve) => {
        end = resolve;
      });
    };
    const readiness = createReadiness(check, () => now);
    const results = [readiness(), readiness()];
    now = 10_000;
    results.push(readiness());
    expect(count).toBe(1);
    end?.();
    expect(await Promise.all(results)).toEqual([undefined, undefined, undefined]);
    now += 249;
    await readiness();
    expect(count).toBe(1);
    now += 1;
    const again = readiness();
    expect(count).toBe(2);
    end?.();
    await again;
  });

  test("runs again after a failure", async () => {
    let now = 0;
    const failures = [new SendctlError("database", "gone"), new Error("a bug"), undefined];
    const readiness = createReadiness(
      async () => {
        const failure = failures.shift();
        if (failure !== undefined) throw failure;
      },
      () => (now += 250),
    );
    expect(await readiness()).toBe("database");
    await expect(readiness()).rejects.toThrow("a bug");
    expect(await readiness()).toBeUndefined();
  });
});
