/**
 * Runs two servers over one PostgreSQL behind nginx, with the configuration of docs/deploy.md, and clients that create
 * sender IDs and groups. Meanwhile one server is killed with SIGKILL, and PostgreSQL is restarted without warning.
 * Every acknowledged record must exist exactly once, ids and times must ascend, names must be unique, and clients must
 * see only failures that they can retry.
 *
 *   npm run build && node test/stress/several-servers.mjs [SECONDS=20] [CONNECTIONS=50]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout } from "node:timers/promises";
import { startNginx } from "../support/nginx.mjs";
import { startPostgres, startServer } from "./postgres.mjs";

const [seconds = 20, connections = 50] = process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), "sendctl-several-"));
const print = (line) => process.stdout.write(`${line}\n`);

function expect(condition, message) {
  if (!condition) throw new Error(message);
}

const postgres = await startPostgres(folder);
const url = postgres.url("sendctl");
const first = await startServer(folder, url);
const second = await startServer(folder, url);
const { key } = first;
const nginx = await startNginx(folder, [first.port, second.port]);
const agent = new Agent({ keepAlive: true, maxSockets: connections });

/** Sends a request and returns its response; the status is "lost" if there was none. */
function send(method, path, body) {
  return new Promise((resolve) => {
    const headers = { Authorization: `Bearer ${key}` };
    if (method !== "DELETE") headers["Content-Type"] = "application/json";
    const sent = request(
      { agent, host: "127.0.0.1", port: nginx.port, method, path, headers, timeout: 60_000 },
      (response) => {
        const chunks = [];
        response.on("data", (chunk) => chunks.push(chunk));
        response.on("error", () => resolve({ status: "lost" }));
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString();
          const isJson = text.startsWith("{");
          resolve({
            status: response.statusCode,
            data: isJson ? JSON.parse(text).data : undefined,
          });
        });
      },
    );
    sent.on("timeout", () => sent.destroy());
    sent.on("error", () => resolve({ status: "lost" }));
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const seen = new Map();
const count = (response) => seen.set(response, (seen.get(response) ?? 0) + 1);
const acknowledged = { senderIds: [], groups: [] };
/** Groups whose outcome is unknown. Names need not be unique, so these creates are not retried. */
const unknown = new Set();
let created = 0;
let maxTime = 0;
const over = new AbortController();

/** Creates a record, and retries after a 503, which means that nothing was done. Returns the response. */
async function create(path, body) {
  const begun = Date.now();
  for (;;) {
    const response = await send("POST", path, body);
    count(`POST ${response.status}`);
    maxTime = Math.max(maxTime, Date.now() - begun);
    if (response.status !== 503) return response;
    await setTimeout(50 + Math.random() * 100);
  }
}

/** Creates a sender ID. If the response is lost, looks it up by name, and creates it again if it is missing. */
async function createSenderId(name) {
  for (;;) {
    const response = await create("/v1/sender-id", { name, purpose: "Stress" });
    if (response.status === 201) return response.data;
    expect(response.status === "lost" || response.status === 409, `${name}: ${response.status}`);
    const found = await send("GET", `/v1/sender-id/${encodeURIComponent(name)}`);
    count(`GET ${found.status}`);
    if (found.status === 200) return found.data;
    await setTimeout(50);
  }
}

async function client(number) {
  for (let turn = 1; !over.signal.aborted; turn += 1) {
    const name = `${number} ${turn}`;
    created += 1;
    if (turn % 2 === 0) {
      acknowledged.senderIds.push(await createSenderId(name));
    } else {
      const response = await create("/v1/group", { name });
      expect(response.status === 201 || response.status === "lost", `group: ${response.status}`);
      if (response.status === 201) acknowledged.groups.push(response.data);
      else unknown.add(name);
    }
  }
}

const clients = Array.from({ length: connections }, (_, number) => client(number));
const part = (seconds * 1000) / 4;
const mark = (event) =>
  print(`${event} after ${acknowledged.senderIds.length + acknowledged.groups.length} creates`);
await setTimeout(part);
await second.end("SIGKILL");
mark("One server was killed");
await setTimeout(part);
await postgres.restart();
mark("PostgreSQL was restarted");
await setTimeout(part);
const third = await startServer(folder, url, second.port);
mark("The server was restarted");
await setTimeout(part);
over.abort();
await Promise.all(clients);

async function all(path) {
  const found = [];
  for (let page = 1; ; page += 1) {
    const { status, data } = await send("GET", `${path}?perPage=1000&page=${page}`);
    expect(status === 200, `${path}: ${status}`);
    found.push(...data.data);
    if (page >= data.last_page) {
      expect(found.length === data.total, `${path}: ${found.length} of ${data.total}`);
      return found;
    }
  }
}

const times = [];
for (const [kind, path] of [
  ["senderIds", "/v1/sender-id"],
  ["groups", "/v1/group"],
]) {
  const found = await all(path);
  const byName = new Map(found.map((one) => [one.name, one]));
  expect(byName.size === found.length, `${kind}: ${found.length - byName.size} duplicates`);
  for (const { id, name, created_at } of acknowledged[kind]) {
    const one = byName.get(name);
    expect(one !== undefined, `${kind}: ${name} was acknowledged but is missing`);
    expect(
      one.id === id && one.created_at === created_at,
      `${kind}: ${name} has another id or time`,
    );
  }
  const known = new Set(acknowledged[kind].map(({ name }) => name));
  const unexpected = found.filter(({ name }) => !unknown.has(name) && !known.has(name));
  expect(unexpected.length === 0, `${kind}: ${unexpected.length} unexpected records`);
  for (let index = 1; index < found.length; index += 1) {
    expect(found[index].id < found[index - 1].id, `${kind}: ids are out of order`);
    expect(
      found[index].created_at < found[index - 1].created_at,
      `${kind}: times are out of order`,
    );
  }
  times.push(...found.map(({ created_at }) => created_at));
  const carriedOut = found.filter(({ name }) => unknown.has(name)).length;
  print(
    `${kind}: ${acknowledged[kind].length} acknowledged, ${found.length} found` +
      (kind === "groups" ? ` (${carriedOut} of ${unknown.size} with unknown outcome)` : ""),
  );
}
expect(new Set(times).size === times.length, "two records have the same time");
print(
  `Responses: ${[...seen]
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([response, number]) => `${response}: ${number}`)
    .join(", ")}`,
);
print(
  `${connections} connections, ${created} creates in ${seconds} s, the slowest took ${maxTime} ms`,
);

agent.destroy();
await nginx.stop();
await first.end("SIGTERM");
await third.end("SIGTERM");
await postgres.stop();
rmSync(folder, { recursive: true, force: true });
print("All checks passed");
