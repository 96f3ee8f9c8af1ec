/**
 * Two servers over one PostgreSQL behind nginx, by the configuration of docs/deploy.md, and clients that
 * create sender IDs and groups. In the middle one server is killed (SIGKILL) and PostgreSQL is restarted
 * without warning. Whatever was acknowledged is there, and once; ids, times and names hold; and clients
 * see nothing but requests that are tried again.
 *
 *   npm run build && node test/stress/several-servers.mjs [SECONDS=20] [CONNECTIONS=50]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout } from "node:timers/promises";
import { startNginx, startPostgres, startServer } from "./postgres.mjs";

const [seconds = 20, connections = 50] = process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), "sendctl-several-"));
const say = (line) => process.stdout.write(`${line}\n`);

function need(condition, message) {
  if (!condition) throw new Error(message);
}

const postgres = await startPostgres(folder);
const url = postgres.url("sendctl");
const first = await startServer(folder, url);
const second = await startServer(folder, url);
const { key } = first;
const nginx = await startNginx(folder, [first.port, second.port]);
const agent = new Agent({ keepAlive: true, maxSockets: connections });

/** The answer, or that there was none. */
function ask(method, path, body) {
  return new Promise((resolve) => {
    const headers = { Authorization: `Bearer ${key}` };
    if (method !== "DELETE") headers["Content-Type"] = "application/json";
    const asked = request(
      { agent, host: "127.0.0.1", port: nginx.port, method, path, headers, timeout: 60_000 },
      (answer) => {
        const chunks = [];
        answer.on("data", (chunk) => chunks.push(chunk));
        answer.on("error", () => resolve({ status: "lost" }));
        answer.on("end", () => {
          const text = Buffer.concat(chunks).toString();
          const isJson = text.startsWith("{");
          resolve({ status: answer.statusCode, data: isJson ? JSON.parse(text).data : undefined });
        });
      },
    );
    asked.on("timeout", () => asked.destroy());
    asked.on("error", () => resolve({ status: "lost" }));
    asked.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const seen = new Map();
const count = (what) => seen.set(what, (seen.get(what) ?? 0) + 1);
const acknowledged = { senderIds: [], groups: [] };
/** Groups of which nobody can say: a name need not be unique, so that they are not tried again. */
const unknown = new Set();
let made = 0;
let longest = 0;
const over = new AbortController();

/** Tries again what may be: 503 says that it was not done. Undefined where nobody knows. */
async function create(path, body) {
  const begun = Date.now();
  for (;;) {
    const answer = await ask("POST", path, body);
    count(`POST ${answer.status}`);
    longest = Math.max(longest, Date.now() - begun);
    if (answer.status !== 503) return answer;
    await setTimeout(50 + Math.random() * 100);
  }
}

/** Lost: looked up by its name, as the client of sendctl does; where it is not there, made again. */
async function createSenderId(name) {
  for (;;) {
    const answer = await create("/v1/sender-id", { name, purpose: "Stress" });
    if (answer.status === 201) return answer.data;
    need(answer.status === "lost" || answer.status === 409, `${name}: ${answer.status}`);
    const found = await ask("GET", `/v1/sender-id/${encodeURIComponent(name)}`);
    count(`GET ${found.status}`);
    if (found.status === 200) return found.data;
    await setTimeout(50);
  }
}

async function client(number) {
  for (let turn = 1; !over.signal.aborted; turn += 1) {
    const name = `${number} ${turn}`;
    made += 1;
    if (turn % 2 === 0) {
      acknowledged.senderIds.push(await createSenderId(name));
    } else {
      const answer = await create("/v1/group", { name });
      need(answer.status === 201 || answer.status === "lost", `group: ${answer.status}`);
      if (answer.status === 201) acknowledged.groups.push(answer.data);
      else unknown.add(name);
    }
  }
}

const clients = Array.from({ length: connections }, (_, number) => client(number));
const part = (seconds * 1000) / 4;
const mark = (what) =>
  say(`${what} after ${acknowledged.senderIds.length + acknowledged.groups.length} creates`);
await setTimeout(part);
await second.end("SIGKILL");
mark("One server killed");
await setTimeout(part);
await postgres.restart();
mark("PostgreSQL restarted");
await setTimeout(part);
const third = await startServer(folder, url, second.port);
mark("The server is started again");
await setTimeout(part);
over.abort();
await Promise.all(clients);

async function all(path) {
  const found = [];
  for (let page = 1; ; page += 1) {
    const { status, data } = await ask("GET", `${path}?perPage=1000&page=${page}`);
    need(status === 200, `${path}: ${status}`);
    found.push(...data.data);
    if (page >= data.last_page) {
      need(found.length === data.total, `${path}: ${found.length} of ${data.total}`);
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
  need(byName.size === found.length, `${kind}: ${found.length - byName.size} are there twice`);
  for (const { id, name, created_at } of acknowledged[kind]) {
    const one = byName.get(name);
    need(one !== undefined, `${kind}: ${name} was acknowledged, and is not there`);
    need(one.id === id && one.created_at === created_at, `${kind}: ${name} is another`);
  }
  const told = new Set(acknowledged[kind].map(({ name }) => name));
  const strangers = found.filter(({ name }) => !unknown.has(name) && !told.has(name));
  need(strangers.length === 0, `${kind}: ${strangers.length} are there that nobody was told of`);
  for (let index = 1; index < found.length; index += 1) {
    need(found[index].id < found[index - 1].id, `${kind}: ids are out of order`);
    need(found[index].created_at < found[index - 1].created_at, `${kind}: times are out of order`);
  }
  times.push(...found.map(({ created_at }) => created_at));
  const which = found.filter(({ name }) => unknown.has(name)).length;
  say(
    `${kind}: ${acknowledged[kind].length} acknowledged, ${found.length} there` +
      (kind === "groups" ? ` (of ${unknown.size} that nobody knew of, ${which})` : ""),
  );
}
need(new Set(times).size === times.length, "Two records have one time");
say(
  `Answers: ${[...seen]
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([what, number]) => `${what}: ${number}`)
    .join(", ")}`,
);
say(`${connections} connections, ${made} creates in ${seconds} s, the longest took ${longest} ms`);

agent.destroy();
await nginx.stop();
await first.end("SIGTERM");
await third.end("SIGTERM");
await postgres.stop();
rmSync(folder, { recursive: true, force: true });
say("All is well");
