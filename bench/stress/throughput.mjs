/**
 * Measures one server on SQLite, and one, two and three on PostgreSQL: fetches of a group, lists of 15 of 10,000
 * groups, and creates of groups in one integration and in 64. Prints the requests per second, the processor time of the
 * servers and of the database for one request, and the latency. The load generator shares the machine with them, so its
 * share is printed as well.
 *
 *   npm run build && node bench/stress/throughput.mjs [SECONDS=4] [CONNECTIONS=50] [ROUNDS=3] [SERVERS=3]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { startPostgres } from "../../test/support/postgres-server.mjs";
import { median, processorTimeOfAll } from "../processes.mjs";
import { startLoad } from "../servers.mjs";
import { createUser, dataOf, end, startServing } from "./clients.mjs";

const [seconds = 4, connections = 50, rounds = 3, most = 3] = process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), "sendctl-throughput-"));
const groups = 10_000;
const print = (...cells) => {
  const [first, ...others] = cells;
  process.stdout.write(`${first.padEnd(24)}${others.map((cell) => cell.padStart(10)).join("")}\n`);
};

const numbers = (length) => Array.from({ length }, (_, index) => index + 1);
const integrations = 64;
const create = { method: "POST", path: "/v1/group", body: '{"name":"Group"}', status: 201 };
const kinds = {
  fetch: { method: "GET", path: numbers(1000).map((number) => `/v1/group/${number * 10}`) },
  list: { method: "GET", path: numbers(20).map((number) => `/v1/group?page=${number}`) },
  "create, 1 integration": create,
  [`create, ${integrations} integrations`]: { ...create, isSpread: true },
};

/** Creates integrations. Returns a key of each. */
async function keysOf(user) {
  const keys = [];
  for (const number of numbers(integrations)) {
    const name = `integration-${number}`;
    await dataOf(user, "local", "integration", "create", name);
    const created = await dataOf(user, "local", "key", "create", "--integration", name);
    keys.push(created.secret_key);
  }
  return keys;
}

function seed(user) {
  const words = ["--sender-ids", "0", "--contacts", "0", "--groups", `${groups}`];
  return dataOf(user, "local", "seed", ...words);
}

const load = startLoad();
const postgres = await startPostgres({ isDurable: true });
const userOfFile = createUser(folder);
const userOfPostgres = createUser(folder, postgres.url("sendctl"));
await seed(userOfFile);
await seed(userOfPostgres);
const onFile = await startServing(userOfFile);
const onPostgres = [];
for (let count = 0; count < most; count += 1) onPostgres.push(await startServing(userOfPostgres));
const [{ key }] = onPostgres;
const keysOfPostgres = await keysOf(userOfPostgres);
const setups = [
  { name: "SQLite, 1 server", servers: [onFile], keys: await keysOf(userOfFile) },
  ...onPostgres.map((_, index) => ({
    name: `PostgreSQL, ${index + 1} server${index === 0 ? "" : "s"}`,
    servers: onPostgres.slice(0, index + 1).map((server) => ({ ...server, key })),
    database: postgres,
    keys: keysOfPostgres,
  })),
];

/** Returns the results of one window, with the processor time of the database. */
async function measure({ servers, database, keys }, { isSpread = false, ...asked }) {
  const withKeys = servers.flatMap((server) => keys.map((key) => ({ ...server, key })));
  const spent = () => (database === undefined ? 0 : processorTimeOfAll(database.pid()));
  const before = spent();
  const found = await load.run(isSpread ? withKeys : servers, asked, seconds * 1000, connections);
  return { ...found, databaseBusy: (spent() - before) / seconds };
}

const found = new Map();
for (let round = -1; round < rounds; round += 1) {
  for (const [kind, asked] of Object.entries(kinds)) {
    for (const setup of setups) {
      const result = await measure(setup, asked);
      const name = `${kind} ${setup.name}`;
      // The first round warms up.
      if (round >= 0) found.set(name, [...(found.get(name) ?? []), result]);
    }
  }
}
await Promise.all([onFile, ...onPostgres].map(({ child }) => end(child, "SIGTERM")));
await postgres.stop();
await load.stop();
rmSync(folder, { recursive: true, force: true });

print(
  `${cpus().length} processors, ${connections} connections, median of ${rounds} × ${seconds} s`,
);
for (const kind of Object.keys(kinds)) {
  print("");
  const cells = ["req/s", "server µs", "db µs", "p50 ms", "p99 ms", "load"];
  print(kind, ...cells);
  for (const { name } of setups) {
    const of = (value) => median(found.get(`${kind} ${name}`).map(value));
    print(
      name,
      of(({ perSecond }) => perSecond).toFixed(0),
      of(({ serverBusy, perSecond }) => (serverBusy / perSecond) * 1e6).toFixed(0),
      of(({ databaseBusy, perSecond }) => (databaseBusy / perSecond) * 1e6).toFixed(0),
      of(({ p50 }) => p50).toFixed(1),
      of(({ p99 }) => p99).toFixed(1),
      `${(of(({ loadBusy }) => loadBusy) * 100).toFixed(0)} %`,
    );
  }
}
