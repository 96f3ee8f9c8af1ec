import { describe, expect, test } from "vitest";
import { SendctlError } from "../../src/core/error.ts";
import { operations } from "../../src/contract/operations.ts";
import { readFault } from "../../src/server/faults.ts";
import { connect as connectTo } from "../../src/engine/sqlite/connection/connect.ts";
import { send, startRunning, type Running } from "./running-server.ts";
import { metricValue, parseMetrics, type MetricFamily } from "../support/prometheus-text.ts";

async function textOf({ adminPort, key }: Running): Promise<string> {
  const { status, headers, text } = await send({ port: adminPort!, key }, "GET", "/metrics?x=1", {
    key: null,
  });
  expect([status, headers["content-type"]]).toEqual([
    200,
    "text/plain; version=0.0.4; charset=utf-8",
  ]);
  return text;
}

async function scrape(running: Running): Promise<readonly MetricFamily[]> {
  return parseMetrics(await textOf(running));
}

const requests = "sendctl_http_requests_total";
const unavailable = "sendctl_unavailable_total";

describe("/metrics", () => {
  test("counts requests by operation and status, with their durations", async () => {
    const running = await startRunning({ hasMetrics: true });
    for (let round = 0; round < 3; round += 1) {
      await send(running, "POST", "/v1/group", { body: { name: "Friends" } });
    }
    await send(running, "POST", "/v1/group", { body: {} });
    await send(running, "GET", "/v1/group/1");
    await send(running, "GET", "/v1/group/999");
    await send(running, "GET", "/v1/none");
    const families = await scrape(running);
    const count = (operation: string, status: string): number =>
      metricValue(families, requests, { operation, status });
    expect([count("group.create", "201"), count("group.create", "422")]).toEqual([3, 1]);
    expect([count("group.fetch", "200"), count("group.fetch", "404")]).toEqual([1, 1]);
    expect(count("none", "404")).toBe(1);
    const duration = "sendctl_http_request_duration_seconds_count";
    expect(metricValue(families, duration, { operation: "group.create" })).toBe(4);
    expect(metricValue(families, "sendctl_http_requests_in_flight")).toBe(0);
    expect(metricValue(families, "sendctl_build_info", { version: "0.1.0" })).toBe(1);
  });

  test("counts the 503 of a locked database", async () => {
    const running = await startRunning({ hasMetrics: true, lockTimeout: 100 });
    const other = connectTo(running.file);
    other.exec("BEGIN EXCLUSIVE");
    const { status } = await send(running, "POST", "/v1/group", { body: { name: "Friends" } });
    other.exec("ROLLBACK");
    other.close();
    expect(status).toBe(503);
    const families = await scrape(running);
    expect(metricValue(families, unavailable, { cause: "database" })).toBe(1);
  });

  test("counts the 503 of an overload, of an injected fault, and of /readyz", async () => {
    const busy = await startRunning({ hasMetrics: true, maxConcurrentRequests: 0 });
    await send(busy, "GET", "/v1/group");
    expect(metricValue(await scrape(busy), unavailable, { cause: "overloaded" })).toBe(1);

    const running = await startRunning({
      hasMetrics: true,
      faults: [readFault("group.list:status=503"), readFault("group.fetch:drop=before")],
    });
    await send(running, "GET", "/v1/group");
    await expect(send(running, "GET", "/v1/group/1")).rejects.toThrow("hang up");
    const drained = running.drain(3_600_000);
    await send(running, "GET", "/readyz");
    const families = await scrape(running);
    expect(metricValue(families, unavailable, { cause: "injected" })).toBe(1);
    expect(metricValue(families, unavailable, { cause: "not_ready" })).toBe(1);
    const dropped = { operation: "group.fetch", status: "none" };
    expect(metricValue(families, requests, dropped)).toBe(1);
    const { status } = await send({ ...running, port: running.adminPort! }, "GET", "/readyz");
    expect(status).toBe(503);
    running.abort();
    await drained;
  });

  test("counts unknown outcomes", async () => {
    const running = await startRunning({
      hasMetrics: true,
      engine: (engine) => ({
        ...engine,
        callerOf: () => Promise.reject(new SendctlError("outcome_unknown", "lost")),
      }),
    });
    await expect(send(running, "GET", "/v1/group")).rejects.toThrow(/hang up|ECONNRESET/);
    expect(metricValue(await scrape(running), "sendctl_unknown_outcomes_total")).toBe(1);
  });

  test("contains neither keys nor records nor paths", async () => {
    const running = await startRunning({ hasMetrics: true });
    const secret = "Zanzibar";
    await send(running, "POST", "/v1/sender-id", { body: { name: secret, purpose: secret } });
    await send(running, "POST", "/v1/group", { body: { name: secret } });
    for (const path of [`/v1/sender-id/${secret}`, `/v1/group/${secret}`, `/${secret}`]) {
      for (const method of ["GET", "PUT", "DELETE", "PATCH", "OPTIONS"]) {
        const body = { name: secret };
        await send(running, method, `${path}?${secret}=${running.key}`, { body });
        await send(running, method, path, { key: `sk_${secret}`, headers: { [secret]: secret } });
      }
    }
    await send(running, secret.toUpperCase(), "/v1/group").catch(() => {});
    const text = await textOf(running);
    expect(text.toLowerCase()).not.toContain(secret.toLowerCase());
    expect(text).not.toContain(running.key.slice(3));
    const families = parseMetrics(text);
    const found = families.find(({ name }) => name === requests)!.samples;
    const known = new Set([...Object.keys(operations), "none"]);
    expect(found.length).toBeGreaterThan(3);
    expect(found.filter(({ labels }) => !known.has(labels["operation"]!))).toEqual([]);
    const names = new Set(found.flatMap(({ labels }) => Object.keys(labels)));
    expect(names).toEqual(new Set(["operation", "status"]));
  });
});
