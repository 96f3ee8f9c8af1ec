/**
 * Runs two servers over one PostgreSQL behind nginx, with the configuration of docs/deploy.md, and clients that create
 * sender IDs and groups. Meanwhile servers are killed, stopped, frozen and started again, and PostgreSQL is restarted
 * without warning, with two servers and with one.
 * Every acknowledged record must exist exactly once, ids and times must ascend, names must be unique, and clients must
 * see only failures that they can retry.
 *
 *   npm run build && node bench/stress/several-servers.mjs [SECONDS=40] [CONNECTIONS=50]
 */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout } from "node:timers/promises";
import { startCluster } from "./postgres.mjs";

const [seconds = 40, connections = 50] = process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), "sendctl-several-"));
const print = (line) => process.stdout.write(`${line}\n`);

function expect(condition, message) {
  if (!condition) throw new Error(message);
}

const cluster = await startCluster(folder, connections);
const { postgres, servers, send } = cluster;

/** Starts a server again, on its port. */
async function startAgain(index) {
  servers[index] = await cluster.start(servers[index].port);
}

/** Lists responses and their numbers. */
function listed(numbers) {
  return numbers
    .filter(([, number]) => number > 0)
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([response, number]) => `${response}: ${number}`)
    .join(", ");
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

/**
 * Failures of the servers and of the database, one after the other, and how each is repaired.
 *
 * @type {[event: string, happen: () => unknown][]}
 */
const events = [
  ["Nothing", () => {}],
  ["SIGKILL of a server", () => servers[1].end("SIGKILL")],
  ["PostgreSQL restarts, one server runs", () => postgres.restart()],
  ["The server starts again", () => startAgain(1)],
  ["PostgreSQL restarts, two servers run", () => postgres.restart()],
  ["SIGTERM of a server", () => servers[0].end("SIGTERM")],
  ["The server starts again", () => startAgain(0)],
  ["SIGSTOP of a server for 2 s", () => freeze(2000)],
  ["Both servers are killed", () => Promise.all(servers.map((each) => each.end("SIGKILL")))],
  [
    "They start again",
    async () => {
      await startAgain(0);
      await startAgain(1);
    },
  ],
];

async function freeze(milliseconds) {
  servers[1].signal("SIGSTOP");
  await setTimeout(milliseconds);
  servers[1].signal("SIGCONT");
}

const clients = Array.from({ length: connections }, (_, number) => client(number));
for (const [event, happen] of events) {
  const before = new Map(seen);
  await happen();
  await setTimeout((seconds * 1000) / events.length);
  const changed = [...seen].map(([response, number]) => [
    response,
    number - (before.get(response) ?? 0),
  ]);
  print(`${event}: ${listed(changed)}`);
}
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
print(`Responses: ${listed([...seen])}`);
print(
  `${connections} connections, ${created} creates in ${seconds} s, the slowest took ${maxTime} ms`,
);

await cluster.stop();
print("All checks passed");
