import { Agent } from "node:http";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, onTestFinished, test } from "vitest";
import { send, startRunning, type Running } from "./running-server.ts";

const requests = 5000;
const connections = 50;
/** Bytes per request: twice what this test itself retains, and far less than a leaked request. */
const maxBytesKept = 500;

interface Group {
  readonly id: number;
  readonly name: string;
}

/** The groups that one client's responses report, step by step. */
interface Client {
  readonly there: Map<number, string>;
  readonly gone: Set<number>;
  readonly unexpected: string[];
}

/** Fetches, lists, creates, updates and deletes in a fixed order, so that a failure is reproducible. */
async function work(running: Running, agent: Agent, nth: number, client: Client): Promise<void> {
  const { there, gone, unexpected } = client;
  const own = [...there.keys()];
  const id = own[(nth * 7) % own.length];
  const turn = id === undefined ? 0 : nth % 10;
  const name = `Group ${nth}`;
  const call = async (expected: number, method: string, path: string, body?: object) => {
    const { status, text } = await send(running, method, path, { body, agent });
    if (status !== expected) unexpected.push(`${method} ${path}: ${status} ${text}`);
    return (JSON.parse(text) as { data: Group | null }).data;
  };
  if (turn <= 2) {
    const created = await call(201, "POST", "/v1/group", { name });
    if (created !== null) there.set(created.id, name);
  } else if (turn <= 5) {
    const found = await call(200, "GET", `/v1/group/${id}`);
    if (found?.name !== there.get(id!)) unexpected.push(`${id} is ${found?.name}`);
  } else if (turn <= 7) {
    await call(200, "GET", `/v1/group?perPage=20&page=${1 + (nth % 5)}`);
  } else if (turn === 8) {
    await call(200, "PUT", `/v1/group/${id}`, { name });
    there.set(id!, name);
  } else {
    await call(200, "DELETE", `/v1/group/${id}`);
    there.delete(id!);
    gone.add(id!);
    await call(404, "GET", `/v1/group/${id}`);
  }
}

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Returns the bytes in use after garbage collection, so that its timing does not matter. */
async function heapUsed(): Promise<number> {
  // Lets the cleanup of finished requests run first.
  await setImmediate();
  collectGarbage();
  await setImmediate();
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

async function everyGroup(running: Running): Promise<Group[]> {
  const groups: Group[] = [];
  for (let page = 1; ; page += 1) {
    const { text } = await send(running, "GET", `/v1/group?perPage=1000&page=${page}`);
    const { data } = JSON.parse(text) as { data: { data: Group[]; last_page: number } };
    groups.push(...data.data);
    if (page >= data.last_page) return groups;
  }
}

test("5,000 requests over 50 connections: acknowledged writes are stored once", async () => {
  const running = await startRunning();
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  onTestFinished(() => agent.destroy());
  const clients = Array.from({ length: connections }, (): Client => ({
    there: new Map(),
    gone: new Set(),
    unexpected: [],
  }));
  let next = 0;
  const upTo = (end: number): Promise<void[]> =>
    Promise.all(
      clients.map(async (client) => {
        while (next < end) await work(running, agent, next++, client);
      }),
    );
  // Loading and compiling happens once, so it does not count as growth.
  const warmUp = requests / 5;
  await upTo(warmUp);
  const before = await heapUsed();
  await upTo(requests);
  const after = await heapUsed();

  expect(clients.flatMap(({ unexpected }) => unexpected)).toEqual([]);
  const groups = await everyGroup(running);
  const acknowledged = new Map(clients.flatMap(({ there }) => [...there]));
  expect(groups.map(({ id }) => id)).toEqual([...acknowledged.keys()].toSorted((a, b) => b - a));
  expect(new Map(groups.map(({ id, name }) => [id, name]))).toEqual(acknowledged);
  const deleted = clients.flatMap(({ gone }) => [...gone]);
  expect(new Set(deleted).size).toBe(deleted.length);
  expect(deleted.length).toBeGreaterThan(250);
  expect(running.served.length).toBeGreaterThanOrEqual(requests);
  expect(running.complaints).toEqual([]);
  expect((after - before) / (requests - warmUp)).toBeLessThan(maxBytesKept);
});
