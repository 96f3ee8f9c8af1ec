/**
 * Restarts two servers behind nginx, with the configuration of docs/deploy.md, one after the other, while clients send
 * requests of every method. Prints the responses, and exits with 1 if a request failed.
 *
 *   npm run build && node bench/stress/rolling-restarts.mjs [REQUESTS=60000] [RESTARTS=6] [DRAIN=5s] [CONNECTIONS=50]
 */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout } from "node:timers/promises";
import { end } from "./clients.mjs";
import { startCluster } from "./cluster.mjs";
import { count, listed, print } from "./report.mjs";

const [requests = "60000", restarts = "6", drain = "5s", connections = "50"] =
  process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "sendctl-rolling-"));

const cluster = await startCluster(folder, Number(connections), "--drain", drain);
const { servers, startAgain, send } = cluster;

let sent = 0;
let failed = 0;
const seen = new Map();
const over = new AbortController();

/** Sends a request, and counts its response. Returns its data. */
async function counted(method, path, body) {
  const { status, data } = await send(method, path, body);
  sent += 1;
  if (status !== 200 && status !== 201) failed += 1;
  count(seen, `${method} ${status}`);
  return data;
}

async function client(number) {
  for (let turn = 1; !over.signal.aborted; turn += 1) {
    const created = await counted("POST", "/v1/group", { name: `${number} ${turn}` });
    if (created === null || created === undefined) continue;
    const path = `/v1/group/${created.id}`;
    await counted("GET", path);
    await counted("GET", "/v1/group?perPage=15");
    await counted("PUT", path, { name: `${number} ${turn} again` });
    await counted("DELETE", path);
  }
}

const clients = Array.from({ length: Number(connections) }, (_, number) => client(number));
const done = Promise.all(clients);
const begun = performance.now();
for (let restart = 1; restart <= Number(restarts); restart += 1) {
  for (const [index, { child }] of servers.entries()) {
    await end(child, "SIGTERM");
    await startAgain(index);
  }
  while (sent < (Number(requests) * restart) / Number(restarts)) await setTimeout(50);
  print(`Restart ${restart} of both servers: ${sent} requests, ${failed} failed`);
}
over.abort();
await done;
print(listed(seen));
const seconds = (performance.now() - begun) / 1000;
print(`${sent} requests in ${seconds.toFixed(0)} s with --drain ${drain}: ${failed} failed`);

await cluster.stop();
process.exitCode = failed === 0 ? 0 : 1;
