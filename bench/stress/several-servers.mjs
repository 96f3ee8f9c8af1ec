/**
 * Runs two servers over one PostgreSQL behind nginx, with docs/deploy/nginx.conf, and clients that create
 * sender IDs and groups. Meanwhile servers are killed, stopped, frozen and started again, and PostgreSQL is restarted
 * without warning, with two servers and with one, and frozen.
 * Every acknowledged record must exist exactly once, ids and times must ascend, names must be unique, and clients must
 * see only failures that they can retry.
 *
 *   npm run build && node bench/stress/several-servers.mjs [SECONDS=40] [CONNECTIONS=50]
 */
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout } from "node:timers/promises";
import { end } from "./clients.mjs";
import { startCluster } from "./cluster.mjs";
import { count, expect, listed, print } from "./report.mjs";

const [seconds = 40, connections = 50] = process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), "sendctl-several-"));

const cluster = await startCluster(folder, connections);
const { postgres, servers, startAgain, send } = cluster;

/** Restarts PostgreSQL without a checkpoint, so that it recovers. */
async function restartPostgres() {
  await postgres.crash();
  await postgres.start();
}

const kill = ({ child }) => end(child, "SIGKILL");

const seen = new Map();
/** @type {Record<"sender-id" | "group", { id: number, name: string, created_at: string }[]>} */
const acknowledged = { "sender-id": [], group: [] };
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
    count(seen, `POST ${response.status}`);
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
    count(seen, `GET ${found.status}`);
    if (found.status === 200) return found.data;
    await setTimeout(50);
  }
}

async function client(number) {
  for (let turn = 1; !over.signal.aborted; turn += 1) {
    const name = `${number} ${turn}`;
    created += 1;
    if (turn % 2 === 0) {
      acknowledged["sender-id"].push(await createSenderId(name));
    } else {
      const response = await create("/v1/group", { name });
      expect(response.status === 201 || response.status === "lost", `group: ${response.status}`);
      if (response.status === 201) acknowledged.group.push(response.data);
      else unknown.add(name);
    }
  }
}

/**
 * Failures of the servers and of the database, one after the other, and how each is repaired.
 *
 * @type {[event: string, happen: () => unknown][]}
 */
const events = [
  ["Nothing", () => {}],
  ["SIGKILL of a server", () => kill(servers[1])],
  ["PostgreSQL restarts, one server runs", () => restartPostgres()],
  ["The server starts again", () => startAgain(1)],
  ["PostgreSQL restarts, two servers run", () => restartPostgres()],
  ["SIGTERM of a server", () => end(servers[0].child, "SIGTERM")],
  ["The server starts again", () => startAgain(0)],
  ["SIGSTOP of a server for 2 s", () => freeze(2000)],
  ["SIGSTOP of PostgreSQL for 2 s", () => freezePostgres(2000)],
  ["Both servers are killed", () => Promise.all(servers.map(kill))],
  ["They start again", () => Promise.all([startAgain(0), startAgain(1)])],
];

async function freeze(milliseconds) {
  servers[1].child.kill("SIGSTOP");
  await setTimeout(milliseconds);
  servers[1].child.kill("SIGCONT");
}

/** Freezes PostgreSQL and all of its processes. */
async function freezePostgres(milliseconds) {
  const pid = postgres.pid();
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
  const all = [pid, ...children.map(Number)];
  const signal = (name) => {
    for (const each of all) {
      try {
        process.kill(each, name);
      } catch {
        // It has ended.
      }
    }
  };
  signal("SIGSTOP");
  await setTimeout(milliseconds);
  signal("SIGCONT");
}

const clients = Array.from({ length: connections }, (_, number) => client(number));
for (const [event, happen] of events) {
  const before = new Map(seen);
  await happen();
  await setTimeout((seconds * 1000) / events.length);
  print(`${event}: ${listed(seen, before)}`);
}
over.abort();
await Promise.all(clients);

/** Returns all records of a noun. */
async function listAll(noun) {
  const found = [];
  for (let page = 1; ; page += 1) {
    const { status, data } = await send("GET", `/v1/${noun}?perPage=1000&page=${page}`);
    expect(status === 200, `${noun}: ${status}`);
    found.push(...data.data);
    if (page < data.last_page) continue;
    expect(found.length === data.total, `${noun}: ${found.length} of ${data.total}`);
    return found;
  }
}

const times = [];
for (const [noun, records] of Object.entries(acknowledged)) {
  const found = await listAll(noun);
  const byName = new Map(found.map((one) => [one.name, one]));
  expect(byName.size === found.length, `${noun}: ${found.length - byName.size} duplicates`);
  for (const { id, name, created_at } of records) {
    const one = byName.get(name);
    expect(one !== undefined, `${noun}: ${name} was acknowledged but is missing`);
    const isSame = one.id === id && one.created_at === created_at;
    expect(isSame, `${noun}: ${name} has another id or time`);
  }
  const known = new Set(records.map(({ name }) => name));
  const unexpected = found.filter(({ name }) => !unknown.has(name) && !known.has(name));
  expect(unexpected.length === 0, `${noun}: ${unexpected.length} unexpected records`);
  for (const [index, older] of found.slice(1).entries()) {
    expect(older.id < found[index].id, `${noun}: ids are out of order`);
    expect(older.created_at < found[index].created_at, `${noun}: times are out of order`);
  }
  times.push(...found.map(({ created_at }) => created_at));
  const carriedOut = found.filter(({ name }) => unknown.has(name)).length;
  print(
    `${noun}: ${records.length} acknowledged, ${carriedOut} without response, ${found.length} found`,
  );
}
expect(new Set(times).size === times.length, "two records have the same time");
print(`Responses: ${listed(seen)}`);
print(
  `${connections} connections, ${created} creates in ${seconds} s, the slowest took ${maxTime} ms`,
);

await cluster.stop();
print("All checks passed");
