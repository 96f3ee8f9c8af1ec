import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { SendctlError } from "../../src/core/error.ts";
import { openClient } from "../contract/transports.ts";
import {
  send,
  expectRefusal,
  groupNames,
  newKey,
  startRunning,
  withOperations,
} from "./running-server.ts";
import { parseResponses, postGroup } from "./raw-http.ts";
import { connect as connectTo } from "../../src/engine/sqlite/database-file.ts";
import { inTime } from "../support/waiting.ts";

describe("429", () => {
  test("limits the rate of each key separately, until time has passed", async () => {
    let now = 1_000_000_000_000_000;
    const running = await startRunning({ rateLimit: 3, now: () => now });
    const other = await newKey(running.engine);
    const statusOf = async (key?: string) =>
      (await send(running, "GET", "/v1/group", key === undefined ? {} : { key })).status;

    expect([await statusOf(), await statusOf(), await statusOf()]).toEqual([200, 200, 200]);
    const refused = await send(running, "POST", "/v1/group", { body: { name: "Friends" } });
    expectRefusal(refused, 429);
    expect(refused.headers["retry-after"]).toBe("1");
    expect(await statusOf(other)).toBe(200);

    // A third of a second allows exactly one request.
    now += 334_000;
    expect([await statusOf(), await statusOf()]).toEqual([200, 429]);
    // Time that has been counted does not count again.
    now += 1000;
    expect(await statusOf()).toBe(429);
    // After any pause, a burst is at most three requests.
    now += 3_600_000_000;
    expect(await groupNames(running)).toEqual([]);
    expect([await statusOf(), await statusOf(), await statusOf()]).toEqual([200, 200, 429]);
  });
});

describe("503", () => {
  test("is sent for writes while another connection locks the database", async () => {
    const running = await startRunning({ lockTimeout: 100 });
    await send(running, "POST", "/v1/group", { body: { name: "Kin" } });
    const other = connectTo(running.file);
    other.exec("BEGIN EXCLUSIVE");
    const responses = await Promise.all([
      send(running, "POST", "/v1/group", { body: { name: "Friends" } }),
      send(running, "DELETE", "/v1/group/1"),
    ]);
    for (const response of responses) {
      expectRefusal(response, 503);
      expect(response.headers["retry-after"]).toMatch(/^[1-9][0-9]*$/);
      expect(response.text).not.toContain(running.file);
    }
    // The response hides the cause, and the log has it.
    const locked = { cause: "locked", code: "SQLITE_BUSY" };
    expect(running.served.slice(1, 3)).toMatchObject([locked, locked]);
    // The write-ahead log allows reads meanwhile.
    expect(await groupNames(running)).toEqual(["Kin"]);
    expect((await send(running, "GET", "/healthz")).status).toBe(200);

    other.exec("ROLLBACK");
    other.close();
    const { status } = await send(running, "POST", "/v1/group", { body: { name: "Friends" } });
    expect([status, await groupNames(running)]).toEqual([201, ["Friends", "Kin"]]);
    expect(running.complaints).toEqual([]);
  });

  test("is sent for /healthz and reads if the database is unreadable", async () => {
    const running = await startRunning();
    await send(running, "POST", "/v1/group", { body: { name: "Friends" } });
    const other = connectTo(running.file);
    other.pragma("foreign_keys = OFF");
    other.exec("ALTER TABLE contact_group RENAME TO elsewhere");
    for (const path of ["/healthz", "/v1/group"]) {
      const response = await send(running, "GET", path);
      expectRefusal(response, 503);
      expect(response.text).not.toMatch(/contact_group|sendctl\.db/);
    }
    const damaged = { cause: "damaged", code: "SQLITE_ERROR" };
    const failed = running.served.filter(({ status }) => status === 503);
    expect(failed).toMatchObject([
      { operation: undefined, ...damaged },
      { operation: "group.list", ...damaged },
    ]);
    other.exec("ALTER TABLE elsewhere RENAME TO contact_group");
    other.close();
    expect((await send(running, "GET", "/healthz")).status).toBe(200);
    expect(await groupNames(running)).toEqual(["Friends"]);
  });

  test("is sent for new requests while the server stops, and earlier ones are completed", async () => {
    const running = await startRunning();
    const [partial, late, silent, used] = [1, 2, 3, 4].map(() =>
      connect(running.port, "127.0.0.1"),
    ) as [Socket, Socket, Socket, Socket];
    const request = postGroup(running.key, '{"name":"Friends"}');
    partial.write(request.slice(0, -5));
    late.write(`GET /v1/group HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${running.key}\r\n`);
    used.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
    await Promise.all([
      ...[partial, late, silent].map((one) => once(one, "connect")),
      once(used, "data"),
    ]);
    // After this response on another connection, the server has read both halves.
    expect(await groupNames(running)).toEqual([]);

    const stopped = running.stop();
    // If these two were closed by a timeout only, the others would be closed by it, too.
    const idle = [silent, used].map((one) => once(one.resume(), "close"));
    await inTime("the end of idle connections", Promise.all(idle));
    late.write("\r\n");
    const [answered] = parseResponses(await inTime("the response", text(late)));
    expect(answered).toMatchObject({ status: 200 });
    expect(answered!.head).toMatch(/^Connection: close$/im);
    partial.write(request.slice(-5));
    expect(parseResponses(await text(partial))).toMatchObject([{ status: 201 }]);
    await inTime("the end of the server", stopped);

    await expect(send(running, "GET", "/v1/group")).rejects.toThrow("ECONNREFUSED");
    const service = await running.engine.service(undefined);
    const listed = await service["group.list"]({ query: {} });
    expect(listed.envelope!.data).toMatchObject({ total: 1, data: [{ name: "Friends" }] });
  });
});

test("an unknown outcome gets no response, because success and failure are both possible", async () => {
  const running = await startRunning({
    // Records from long ago, which the lookup of a client never takes for the one that it created.
    now: () => 1_000_000_000_000_000,
    engine: withOperations((service) => ({
      "group.create": async (input) => {
        await service["group.create"](input);
        throw new SendctlError("outcome_unknown", "The connection was lost");
      },
    })),
  });
  const body = { name: "Friends" };
  await expect(send(running, "POST", "/v1/group", { body })).rejects.toThrow(/hang up|ECONNRESET/);
  const client = await openClient(`http://127.0.0.1:${running.port}`, running.key);
  onTestFinished(client.close);
  await expect(client.service["group.create"]({ body })).rejects.toMatchObject({
    kind: "outcome_unknown",
  });
  expect(await groupNames(running)).toEqual(["Friends", "Friends"]);
  expect(running.complaints).toEqual([]);
  const unknown = {
    status: null,
    operation: "group.create",
    key_id: 1,
    request_id: expect.stringMatching(/-\d+$/),
    cause: "outcome_unknown",
    code: undefined,
  };
  expect(running.served.slice(0, 2)).toMatchObject([unknown, unknown]);
});
