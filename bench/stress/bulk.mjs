/**
 * Works on many records through two servers over PostgreSQL behind nginx: imports contacts, deletes their group, lists
 * all groups of an integration, and deletes it. Meanwhile a client creates groups one after the other, during the list
 * in the same integration, otherwise in another. Prints the longest time between two acknowledged creates, and exits
 * with 1 if it is over LIMIT milliseconds, or if the list fails, has a group twice, or lacks one that existed before.
 *
 *   npm run build && node bench/stress/bulk.mjs [CONTACTS=300000] [GROUPS=200000] [LIMIT=250]
 */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout } from "node:timers/promises";
import { writeContacts } from "../contacts-file.mjs";
import { createUser, dataOf, sendctl } from "./clients.mjs";
import { startCluster } from "./cluster.mjs";
import { createHttpClient } from "./http-client.mjs";
import { expect, print } from "./report.mjs";

const [contacts = 300_000, groups = 200_000, limit = 250] = process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), "sendctl-bulk-"));
const cluster = await startCluster(folder, 1);
const administrator = createUser(folder, cluster.url);

/** Runs a command on the database. Returns its data. */
const local = (...words) => dataOf(administrator, "local", ...words);

await local("integration", "create", "bulk");
const { secret_key: key } = await local("key", "create", "--integration", "bulk");
const ofBulk = createHttpClient(cluster.port, key, 1);
const target = { SENDCTL_BASE_URL: `http://127.0.0.1:${cluster.port}`, SENDCTL_SECRET_KEY: key };
const client = { folder, env: { ...administrator.env, ...target } };
/** The integration's key selects it in commands on the database, too. */
const importer = {
  ...administrator,
  env: { ...administrator.env, SENDCTL_SECRET_KEY: key },
};

let isTooLong = false;

/** Creates groups while `work` runs and for a second after it. Returns what it returns. */
async function measure(what, work, send = cluster.send) {
  const over = new AbortController();
  const begun = performance.now();
  let ended = 0;
  const done = work().then(async (result) => {
    ended = performance.now();
    await setTimeout(1000);
    over.abort();
    return result;
  });
  let longest = 0;
  let created = 0;
  for (let last = performance.now(); !over.signal.aborted; created += 1) {
    // 503: the wait for the lock was too long.
    for (let status = 503; status !== 201;) {
      ({ status } = await send("POST", "/v1/group", { name: `${what} ${created}` }));
      expect(status === 201 || status === 503, `a create got ${status}`);
    }
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }
  const seconds = (ended - begun) / 1000;
  const rate = Math.round((created * 1000) / (performance.now() - begun));
  print(
    `${what}: ${seconds.toFixed(1)} s, longest wait ${longest.toFixed(0)} ms, ${rate} creates/s`,
  );
  isTooLong ||= longest > limit;
  return done;
}

async function check() {
  const { problem_count: problems } = await local("check");
  expect(problems === 0, `local check found ${problems} problems`);
}

/** Returns the ids of all groups of the integration. */
async function listAll() {
  const words = ["group", "list", "--all", "-o", "id", "--quiet"];
  const { code, stdout, stderr } = await sendctl(client, ...words);
  expect(code === 0, `${words.join(" ")}: ${code} ${stderr}`);
  const ids = stdout.trim().split("\n");
  expect(new Set(ids).size === ids.length, "the list has a group twice");
  return ids;
}

const { id } = await dataOf(client, "group", "create", "Many");
const file = join(folder, "contacts.csv");
writeContacts(file, contacts);
const importAll = () => dataOf(importer, "local", "contact", "import", id, file);

await measure("Nothing else", () => setTimeout(3000));
const imported = await measure(`Import of ${contacts} contacts`, importAll);
print(`  ${imported.added} added`);
await check();
await measure("Second import of the same file", importAll);
await check();
await measure("Delete of the group", () => dataOf(client, "group", "delete", id, "--yes"));
await check();
await dataOf(importer, "local", "seed", "--groups", String(groups), "--contacts", "0");
const before = await listAll();
const during = new Set(await measure(`List of ${groups} groups`, listAll, ofBulk.send));
const missing = before.filter((each) => !during.has(each));
expect(missing.length === 0, `the list lacks ${missing.length} groups`);
print(`  ${during.size} listed, none missing`);
await measure(`Delete of an integration of ${groups} groups`, () =>
  local("integration", "delete", "bulk", "--yes"),
);
await check();

ofBulk.close();
await cluster.stop();
print(isTooLong ? `A wait was over ${limit} ms` : `No wait was over ${limit} ms`);
process.exitCode = isTooLong ? 1 : 0;
