/**
 * Lists all groups of an integration through nginx and two servers on one PostgreSQL, while clients create groups.
 * Every list must succeed, with every group from the start exactly once. Then measures pages at several depths, by page
 * number and by cursor.
 *
 *   npm run build && node bench/stress/paging.mjs [GROUPS=1000000] [CREATES=500] [LISTS=3]
 */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout } from "node:timers/promises";
import { Client } from "pg";
import { median } from "../processes.mjs";
import { createUser, sendctl } from "./clients.mjs";
import { startCluster } from "./postgres.mjs";

const [groups = 1_000_000, perSecond = 500, lists = 3] = process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), "sendctl-paging-"));
const print = (line) => process.stdout.write(`${line}\n`);
const cluster = await startCluster(folder, 60);
const { url, send } = cluster;

const client = new Client({ connectionString: url.replace(/\?.*/, "") });
await client.connect();
await client.query(`
  SET search_path = sendctl;
  SET session_replication_role = replica;
  INSERT INTO contact_group (id, integration_id, uuid, name, send_birthday, contacts_count, created_at)
    SELECT n, 1, lpad(to_hex(n), 32, '0')::uuid, 'Group ' || n, true, 0, n FROM generate_series(1, ${groups}) AS n;
  UPDATE integration SET contact_group_total = ${groups}, contact_group_changes = ${groups} WHERE id = 1;
  UPDATE clock SET last_group = ${groups}`);
await client.query("VACUUM ANALYZE sendctl.contact_group");
await client.end();

const over = new AbortController();
let created = 0;

/** Creates groups at a steady rate, as long as the servers keep up. */
async function createGroups() {
  const begun = performance.now();
  const work = async (number, count) => {
    for (let turn = number; !over.signal.aborted; turn += count) {
      const wait = begun + (turn * 1000) / perSecond - performance.now();
      if (wait > 0) await setTimeout(wait);
      const { status } = await send("POST", "/v1/group", { name: `New ${turn}` });
      if (status === 201) created += 1;
    }
  };
  await Promise.all(Array.from({ length: 50 }, (_, number) => work(number, 50)));
  return (created * 1000) / (performance.now() - begun);
}

/** Runs `group list --all`. @returns its exit code, its lines and its errors */
async function listAll() {
  const { env } = createUser(folder);
  const target = {
    SENDCTL_BASE_URL: `http://127.0.0.1:${cluster.port}`,
    SENDCTL_SECRET_KEY: cluster.key,
  };
  const client = { folder, env: { ...env, ...target } };
  const args = ["group", "list", "--all", "-o", "id", "--quiet"];
  const { code, stdout, stderr } = await sendctl(client, ...args);
  return { code, ids: stdout.trim().split("\n"), stderr };
}

let failures = 0;

async function listWhileCreating() {
  const creating = createGroups();
  await setTimeout(1000);
  for (let turn = 1; turn <= lists; turn += 1) {
    const [{ id: newest }] = (await send("GET", "/v1/group?perPage=1")).data.data;
    const begun = performance.now();
    const { code, ids, stderr } = await listAll();
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    const seen = new Set(ids.map(Number));
    const isOnce = seen.size === ids.length;
    const missing = Array.from({ length: newest }, (_, n) => n + 1).filter((id) => !seen.has(id));
    if (code !== 0 || !isOnce || missing.length > 0) failures += 1;
    print(
      `List ${turn}: exit ${code} after ${seconds} s, ${ids.length} groups, ` +
        `${missing.length} from the start missing, ${ids.length - seen.size} twice ${stderr.trim()}`,
    );
  }
  over.abort();
  print(`${(await creating).toFixed(0)} creates a second`);
}

/** Returns the median time of a request in milliseconds. */
async function timeOf(path) {
  const times = [];
  for (let turn = 0; turn < 10; turn += 1) {
    // A write forgets where the last page ended, as it does in production.
    await send("POST", "/v1/group", { name: "Between" });
    const begun = performance.now();
    const { status } = await send("GET", path);
    times.push(performance.now() - begun);
    if (status !== 200) failures += 1;
  }
  return median(times).toFixed(1);
}

async function measure() {
  const size = 100;
  const last = Math.ceil(groups / size);
  for (const page of [1, Math.round(last / 4), Math.round(last / 2), last]) {
    const path = `/v1/group?perPage=${size}&page=${page}`;
    const before = `/v1/group?perPage=${size}&page=${Math.max(1, page - 1)}`;
    const cursor = (await send("GET", before)).headers["sendctl-cursor"];
    const byCursor =
      cursor === undefined ? "none" : `${await timeOf(`${path}&cursor=${cursor}`)} ms`;
    print(`Page ${page}: ${await timeOf(path)} ms by number, ${byCursor} by cursor`);
  }
}

await measure();
await listWhileCreating();

await cluster.stop();
print(failures === 0 ? "All checks passed" : `${failures} failures`);
process.exitCode = failures === 0 ? 0 : 1;
