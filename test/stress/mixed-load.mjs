/**
 * Runs two servers over one PostgreSQL behind nginx, with the configuration of docs/deploy.md. Two integrations send
 * requests of all nine operations while a third imports contacts. Prints the median and the 99th percentile of each
 * operation before, during and after the import, and the longest time between two acknowledged creates.
 *
 *   npm run build && node test/stress/mixed-load.mjs [CONTACTS=1000000] [SECONDS=60] [CONNECTIONS=8]
 *
 * SECONDS is the time of the load without an import, half of it before and half after.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { startNginx } from "../support/nginx.mjs";
import { writeContacts } from "./contacts-file.mjs";
import { createHttpClient } from "./http-client.mjs";
import { startPostgres, startServer } from "./postgres.mjs";

const [contacts = 1_000_000, seconds = 60, connections = 8] = process.argv.slice(2).map(Number);
/** Milliseconds between two requests of a client, so that the load stays below what the machine can do. */
const pause = 25;
const folder = mkdtempSync(join(tmpdir(), "sendctl-mixed-"));
const print = (line) => process.stdout.write(`${line}\n`);
const run = promisify(execFile);
const launcher = join(import.meta.dirname, "../../bin/sendctl.js");

const file = join(folder, "contacts.csv");
await writeContacts(file, contacts);
const postgres = await startPostgres(folder);
const url = postgres.url("sendctl");
const servers = [await startServer(folder, url), await startServer(folder, url)];
const nginx = await startNginx(folder, [servers[0].port, servers[1].port]);

/** Runs a command on the database. Returns its data. */
async function sendctl(key, ...args) {
  const env = { PATH: process.env.PATH, HOME: folder, SENDCTL_DATABASE: url };
  if (key !== undefined) env.SENDCTL_SECRET_KEY = key;
  const { stdout } = await run(process.execPath, [launcher, ...args, "--json"], { env });
  return JSON.parse(stdout).data;
}

async function createIntegration(name) {
  await sendctl(undefined, "local", "integration", "create", name);
  const created = await sendctl(undefined, "local", "key", "create", "--integration", name);
  return created.secret_key;
}

let phase = "before";
const phases = new Map(["before", "during", "after"].map((one) => [one, new Map()]));
const failures = new Map();
/** Of each phase, in milliseconds. */
const gaps = new Map();
let lastCreate;
const over = new AbortController();

function noteCreate() {
  const now = performance.now();
  gaps.set(phase, Math.max(gaps.get(phase) ?? 0, now - (lastCreate ?? now)));
  lastCreate = now;
}

async function client(send, number) {
  /** A request counts for the phase in which it was sent. */
  async function timed(name, method, path, body) {
    const times = phases.get(phase);
    const begun = performance.now();
    const { status, data } = await send(method, path, body);
    const took = performance.now() - begun;
    if (status === 200 || status === 201) {
      if (!times.has(name)) times.set(name, []);
      times.get(name).push(took);
      if (method === "POST") noteCreate();
    } else failures.set(`${name} ${status}`, (failures.get(`${name} ${status}`) ?? 0) + 1);
    await setTimeout(pause);
    return data;
  }
  for (let turn = 1; !over.signal.aborted; turn += 1) {
    const name = `${number} ${turn}`;
    const group = await timed("group.create", "POST", "/v1/group", { name });
    await timed("sender-id.create", "POST", "/v1/sender-id", { name, purpose: "Stress" });
    await timed("group.list", "GET", "/v1/group");
    await timed("sender-id.list", "GET", "/v1/sender-id");
    await timed("sender-id.fetch", "GET", `/v1/sender-id/${encodeURIComponent(name)}`);
    if (group) {
      await timed("group.fetch", "GET", `/v1/group/${group.id}`);
      await timed("group.update", "PUT", `/v1/group/${group.id}`, { name: `${name} again` });
      if (turn % 2 === 0) await timed("group.delete", "DELETE", `/v1/group/${group.id}`);
    }
    if (turn % 2 === 0)
      await timed("sender-id.delete", "DELETE", `/v1/sender-id/${encodeURIComponent(name)}`);
  }
}

const clients = [];
const done = [];
for (const name of ["one", "other"]) {
  const { send, close } = createHttpClient(nginx.port, await createIntegration(name), connections);
  clients.push({ close });
  for (let number = 1; number <= connections; number += 1) done.push(client(send, number));
}
const key = await createIntegration("third");
await sendctl(key, "group", "create", "Many");
const [{ id }] = (await sendctl(key, "group", "list")).data;

const load = () => loadavg()[0].toFixed(1);
print(`Load average at the start: ${load()}`);
await setTimeout((seconds * 1000) / 2);
phase = "during";
const begun = performance.now();
const imported = await sendctl(key, "local", "contact", "import", id, file, "--skip-invalid");
const took = (performance.now() - begun) / 1000;
phase = "after";
await setTimeout((seconds * 1000) / 2);
over.abort();
await Promise.all(done);
print(`Load average at the end: ${load()}`);
print(`The import of ${contacts} contacts took ${took.toFixed(1)} s: ${imported.added} added`);

function percentile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

print(`${"".padEnd(17)}${[...phases.keys()].map((one) => one.padStart(24)).join("")}`);
for (const name of phases.get("before").keys()) {
  const cells = [...phases.values()].map((times) => {
    const sorted = (times.get(name) ?? []).toSorted((one, other) => one - other);
    const [median, high] = [percentile(sorted, 0.5), percentile(sorted, 0.99)];
    return `${median.toFixed(1)} / ${high.toFixed(1)} (${sorted.length})`.padStart(24);
  });
  print(`${name.padEnd(17)}${cells.join("")}`);
}
const longest = [...gaps].map(([one, gap]) => `${one} ${gap.toFixed(0)} ms`).join(", ");
print(`Longest time between two acknowledged creates: ${longest}`);
const failed = [...failures].map(([response, number]) => `${response}: ${number}`).join(", ");
print(`Failed requests: ${failed === "" ? "none" : failed}`);

for (const { close } of clients) close();
await nginx.stop();
await Promise.all(servers.map((server) => server.end("SIGTERM")));
await postgres.stop();
rmSync(folder, { recursive: true, force: true });
process.exitCode = failures.size === 0 ? 0 : 1;
