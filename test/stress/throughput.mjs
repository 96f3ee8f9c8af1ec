/**
 * Measures the requests per second of one server on SQLite, and of one, two and three on PostgreSQL: fetches of a
 * group, lists of 15 of 10,000 groups, and creates of groups. Clients share the machine with servers and database, so
 * their own processor time is printed as well.
 *
 *   npm run build && node test/stress/throughput.mjs [SECONDS=4] [CONNECTIONS=50] [ROUNDS=3]
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { startPostgres, startServer } from "./postgres.mjs";

const [seconds = 4, connections = 50, rounds = 3] = process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), "sendctl-throughput-"));
const launcher = join(import.meta.dirname, "../../bin/sendctl.js");
const groups = 10_000;
const print = (line) => process.stdout.write(`${line}\n`);

const kinds = {
  fetch: (number) => ["GET", `/v1/group/${1 + (number % groups)}`],
  list: (number) => ["GET", `/v1/group?page=${1 + (number % 20)}`],
  create: (number) => ["POST", "/v1/group", JSON.stringify({ name: `Group ${number}` })],
};

function seed(database) {
  const words = ["local", "seed", "--sender-ids", "0", "--contacts", "0", "--groups", `${groups}`];
  const env = { PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: folder };
  execFileSync(process.execPath, [launcher, ...words, "--database", database], {
    env,
    stdio: "ignore",
  });
}

function send(agent, port, key, [method, path, body]) {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
    const sent = request({ agent, host: "127.0.0.1", port, method, path, headers }, (response) => {
      response.resume();
      response.on("end", () =>
        response.statusCode < 300
          ? resolve()
          : reject(new Error(`${method} ${path}: ${response.statusCode}`)),
      );
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** Returns requests per second, with each connection to one server. */
async function measure(servers, key, kind) {
  const agents = servers.map(() => new Agent({ keepAlive: true }));
  const until = Date.now() + seconds * 1000;
  let done = 0;
  const client = async (index) => {
    const at = index % servers.length;
    for (let number = index; Date.now() < until; number += connections) {
      await send(agents[at], servers[at].port, key, kinds[kind](number));
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, (_, index) => client(index)));
  for (const agent of agents) agent.destroy();
  return done / seconds;
}

const postgres = await startPostgres(folder);
const file = join(folder, "sendctl.db");
const url = postgres.url("sendctl");
seed(file);
seed(url);
const onFile = [await startServer(folder, file)];
const first = await startServer(folder, url);
const onPostgres = [first, await startServer(folder, url), await startServer(folder, url)];
const setups = [
  ["SQLite, 1 server", onFile, onFile[0].key],
  ...[1, 2, 3].map((count) => [
    `PostgreSQL, ${count} server${count === 1 ? "" : "s"}`,
    onPostgres.slice(0, count),
    first.key,
  ]),
];

const found = new Map();
for (let round = 0; round < rounds; round += 1) {
  for (const kind of Object.keys(kinds)) {
    for (const [name, servers, key] of setups) {
      const rate = await measure(servers, key, kind);
      const all = found.get(`${name} ${kind}`) ?? [];
      found.set(`${name} ${kind}`, [...all, rate]);
    }
  }
}
const median = (values) => values.toSorted((one, other) => one - other)[values.length >> 1];
const { user, system } = process.cpuUsage();
const share = (user + system) / 1e6 / process.uptime();
print(
  `Requests per second, median of ${rounds} rounds of ${seconds} s, ${connections} connections`,
);
print(`${cpus().length} processors; the clients used ${share.toFixed(2)} of one`);
print(["".padEnd(24), ...Object.keys(kinds).map((kind) => kind.padStart(8))].join(""));
for (const [name] of setups) {
  const rates = Object.keys(kinds).map((kind) => median(found.get(`${name} ${kind}`)).toFixed(0));
  print([name.padEnd(24), ...rates.map((rate) => rate.padStart(8))].join(""));
}
await Promise.all([...onFile, ...onPostgres].map((server) => server.end("SIGTERM")));
await postgres.stop();
rmSync(folder, { recursive: true, force: true });
