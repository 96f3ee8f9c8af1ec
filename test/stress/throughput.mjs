/**
 * Requests a second of one server on SQLite, and of one, two and three on PostgreSQL, all in one run:
 * fetches of a group, lists of 15 groups among 10,000, and creates of groups. Clients share the machine
 * with servers and database, and say how busy they were themselves.
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
const say = (line) => process.stdout.write(`${line}\n`);

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

function ask(agent, port, key, [method, path, body]) {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
    const asked = request({ agent, host: "127.0.0.1", port, method, path, headers }, (answer) => {
      answer.resume();
      answer.on("end", () =>
        answer.statusCode < 300
          ? resolve()
          : reject(new Error(`${method} ${path}: ${answer.statusCode}`)),
      );
    });
    asked.on("error", reject);
    asked.end(body);
  });
}

/** Requests a second, each connection to one server. */
async function measure(servers, key, kind) {
  const agents = servers.map(() => new Agent({ keepAlive: true }));
  const until = Date.now() + seconds * 1000;
  let done = 0;
  const client = async (which) => {
    const at = which % servers.length;
    for (let number = which; Date.now() < until; number += connections) {
      await ask(agents[at], servers[at].port, key, kinds[kind](number));
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, (_, which) => client(which)));
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
const ways = [
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
    for (const [name, servers, key] of ways) {
      const rate = await measure(servers, key, kind);
      const all = found.get(`${name} ${kind}`) ?? [];
      found.set(`${name} ${kind}`, [...all, rate]);
    }
  }
}
const median = (values) => values.toSorted((one, other) => one - other)[values.length >> 1];
const { user, system } = process.cpuUsage();
const share = (user + system) / 1e6 / process.uptime();
say(
  `Requests a second, the median of ${rounds} rounds of ${seconds} s, ${connections} connections`,
);
say(`${cpus().length} processors; the clients used ${share.toFixed(2)} of one`);
say(["".padEnd(24), ...Object.keys(kinds).map((kind) => kind.padStart(8))].join(""));
for (const [name] of ways) {
  const rates = Object.keys(kinds).map((kind) => median(found.get(`${name} ${kind}`)).toFixed(0));
  say([name.padEnd(24), ...rates.map((rate) => rate.padStart(8))].join(""));
}
await Promise.all([...onFile, ...onPostgres].map((server) => server.end("SIGTERM")));
await postgres.stop();
rmSync(folder, { recursive: true, force: true });
