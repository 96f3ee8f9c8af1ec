import { EventEmitter, once } from "node:events";
import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { inTime, until } from "../support/waiting.ts";
import { send, expectRefusal, groupNames, startRunning, withOperations } from "./running-server.ts";

/** Blocks requests until the test opens it, like a slow database. */
function gate(capacity: number) {
  const waiting: (() => void)[] = [];
  let isOpen = false;
  const events = new EventEmitter();
  return {
    /** Resolves when `capacity` requests are waiting. */
    full: once(events, "full"),
    pass: () =>
      new Promise<void>((resolve) => {
        if (isOpen) return resolve();
        if (waiting.push(resolve) === capacity) events.emit("full");
      }),
    open: () => {
      isOpen = true;
      for (const resolve of waiting) resolve();
    },
  };
}

test("requests beyond the concurrency limit are refused, and not carried out", async () => {
  const { full, pass, open } = gate(3);
  const running = await startRunning({
    maxConcurrentRequests: 3,
    engine: withOperations((service) => ({
      "group.create": async (input) => {
        await pass();
        return service["group.create"](input);
      },
    })),
  });
  const create = (name: string) => send(running, "POST", "/v1/group", { body: { name } });
  const first = ["A", "B", "C"].map(create);
  try {
    // A request that gets a response before the gate opens was refused.
    await Promise.race([full, ...first]);
    const unknown = await send(running, "GET", "/v1/group", { key: "unknown" });
    for (const beyond of [await send(running, "GET", "/v1/group"), await create("D"), unknown]) {
      expectRefusal(beyond, 503);
      expect(beyond.headers["retry-after"]).toMatch(/^[1-9][0-9]*$/);
    }
    expect((await send(running, "GET", "/healthz")).status).toBe(200);
  } finally {
    open();
  }
  expect((await Promise.all(first)).map(({ status }) => status)).toStrictEqual([201, 201, 201]);
  expect((await groupNames(running)).toSorted()).toStrictEqual(["A", "B", "C"]);
  expect((await create("E")).status).toBe(201);
});

test("requests that fail no longer count against the limit", async () => {
  let isBroken = true;
  const running = await startRunning({
    maxConcurrentRequests: 1,
    engine: (engine) => ({
      ...engine,
      callerOf: (key) => (isBroken ? Promise.reject(new Error("a bug")) : engine.callerOf(key)),
    }),
  });
  for (let count = 0; count < 3; count += 1) {
    expectRefusal(await send(running, "GET", "/v1/group"), 500);
  }
  isBroken = false;
  expect(await groupNames(running)).toEqual([]);
});

test("requests whose client has gone no longer count against the limit", async () => {
  const database = new EventEmitter();
  let isSlow = true;
  const running = await startRunning({
    maxConcurrentRequests: 1,
    engine: withOperations((service) => ({
      "group.list": async (input) => {
        if (isSlow) await once(database, "response");
        return service["group.list"](input);
      },
    })),
  });
  const socket = connect(running.port, "127.0.0.1");
  socket.write(`GET /v1/group HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${running.key}\r\n\r\n`);
  await until("the request", () => database.listenerCount("response") === 1);
  socket.destroy();
  // The server notices it before it answers these.
  for (let count = 0; count < 2; count += 1) await send(running, "GET", "/healthz");
  isSlow = false;
  database.emit("response");
  expect((await send(running, "GET", "/v1/group")).status).toBe(200);
});

test("incomplete bodies are limited over all connections, until they are aborted", async () => {
  const running = await startRunning();
  // Together more than the server buffers.
  const sockets = Array.from({ length: 320 }, () => connect(running.port, "127.0.0.1"));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  const refused = new Promise<string>((resolve) => {
    for (const socket of sockets) {
      socket.on("error", () => {}).once("data", (data) => resolve(data.toString()));
      socket.write(
        `POST /v1/group HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${running.key}\r\n` +
          `Content-Type: application/json\r\nContent-Length: 65000\r\n\r\n${" ".repeat(60_000)}`,
      );
    }
  });
  expect(await inTime("the refusal", refused)).toMatch(/^HTTP\/1\.1 503 /);
  expect(await groupNames(running)).toEqual([]);
  for (const socket of sockets) socket.destroy();
  const body = `{"name":"A"}${" ".repeat(60_000)}`;
  await until("a body is accepted again", async () => {
    const { status } = await send(running, "POST", "/v1/group", { body });
    return status === 201;
  });
});

test("responses that were read no longer count as unread", async () => {
  // More than a connection buffers; two of them are more than the limit for unread responses.
  const length = 7 * 1024 * 1024;
  const running = await startRunning({
    engine: withOperations((service) => ({
      "group.list": async (input) => ({
        ...(await service["group.list"](input)),
        text: "x".repeat(length),
      }),
    })),
  });
  for (let count = 0; count < 5; count += 1) {
    expect((await send(running, "GET", "/v1/group")).text.length).toBe(length);
  }
});
