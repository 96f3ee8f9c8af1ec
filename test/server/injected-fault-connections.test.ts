import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { readFault } from "../../src/server/faults.ts";
import { until } from "../support/waiting.ts";
import { send, groupNames, startRunning } from "./running-server.ts";
import { postGroup } from "./raw-http.ts";

const bodies = ["A", "B", "C"].map((name) => JSON.stringify({ name }));

/** Sends three pipelined creates, and returns the responses, the stored groups and the log. */
async function created(specification: string) {
  const running = await startRunning({ faults: [readFault(specification)] });
  const socket = connect(running.port, "127.0.0.1");
  await once(socket, "connect");
  socket.write(bodies.map((body) => postGroup(running.key, body)).join(""));
  const responses = await text(socket);
  const groups = await groupNames(running);
  await running.stop();
  expect(running.complaints).toEqual([]);
  const log = running.served.filter(({ method }) => method === "POST");
  return { responses, groups, log: log.map(({ status, fault }) => [status, fault]) };
}

test("requests after a dropped one on the same connection are not carried out", async () => {
  const before = await created("group.create:drop=before,skip=1");
  expect(before.responses).toMatch(/^HTTP\/1\.1 201 [^]*"name":"A"[^]*\}$/);
  expect(before.responses).not.toContain('"name":"B"');
  expect(before.groups).toEqual(["A"]);
  expect(before.log).toEqual([
    [201, undefined],
    [null, "group.create:drop=before,skip=1"],
  ]);

  const after = await created("group.create:drop=after,skip=1");
  expect(after.responses.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  expect(after.groups).toEqual(["B", "A"]);
  expect(after.log).toEqual([
    [201, undefined],
    [null, "group.create:drop=after,skip=1"],
  ]);
});

test("a response cut short has the Content-Length of the whole response", async () => {
  const { responses, groups, log } = await created("group.create:drop=during");
  const [head, body] = responses.split("\r\n\r\n");
  const promised = Number(/^Content-Length: (\d+)$/m.exec(head!)?.[1]);
  expect(head).toMatch(/^HTTP\/1\.1 201 /);
  expect(body!.length).toBe(Math.floor(promised / 2));
  expect(groups).toEqual(["A"]);
  expect(log).toEqual([[201, "group.create:drop=during"]]);
});

test("a client that resets its connection before a delayed response is logged at once", async () => {
  const running = await startRunning({ faults: [readFault("group.create:latency=1h")] });
  const socket = connect(running.port, "127.0.0.1");
  await once(socket, "connect");
  socket.write(postGroup(running.key, bodies[0]!));
  // The group is created before the response is sent.
  await until("the group is created", async () => (await groupNames(running)).length > 0);
  socket.resetAndDestroy();
  await until("the request is logged", async () => {
    await send(running, "GET", "/healthz");
    return running.served.some(({ fault }) => fault !== undefined);
  });
  expect(running.served.find(({ method }) => method === "POST")).toMatchObject({
    status: null,
    fault: "group.create:latency=1h",
    operation: "group.create",
  });
  await running.stop();
});

test("a HEAD gets the fault of its GET", async () => {
  const running = await startRunning({ faults: [readFault("group.list:status=503,body=html")] });
  const { status, headers, text: body } = await send(running, "HEAD", "/v1/group");
  expect({ status, type: headers["content-type"], body }).toEqual({
    status: 503,
    type: "text/html; charset=utf-8",
    body: "",
  });
});

test("a slow body arrives whole, in pieces, and at once when the server stops", async () => {
  const brief = await startRunning({ faults: [readFault("group.create:slow=50ms")] });
  const whole = await send(brief, "POST", "/v1/group", { body: { name: "A" } });
  expect(whole.text).toMatch(/"name":"A"[^]*\}\}$/);
  await until("the request is logged", async () => brief.served.length > 0);
  expect(brief.served).toMatchObject([{ status: 201, fault: "group.create:slow=50ms" }]);

  const running = await startRunning({ faults: [readFault("group.create:slow=1h")] });
  const socket = connect(running.port, "127.0.0.1");
  await once(socket, "connect");
  socket.write(postGroup(running.key, bodies[0]!));
  const response = text(socket);
  await until("the group is created", async () => (await groupNames(running)).length === 1);
  await running.stop();
  expect(await response).toMatch(/\{"status":true[^]*"name":"A"[^]*\}\}$/);
});

test("a reset connection ends with a reset, and nothing is carried out", async () => {
  const running = await startRunning({ faults: [readFault("group.create:drop=reset")] });
  const socket = connect(running.port, "127.0.0.1");
  await once(socket, "connect");
  socket.write(postGroup(running.key, bodies[0]!));
  await expect(text(socket)).rejects.toMatchObject({ code: "ECONNRESET" });
  expect(await groupNames(running)).toEqual([]);
});
