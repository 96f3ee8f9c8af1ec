/**
 * Imports many contacts into one integration over PostgreSQL, deletes their group, and deletes an integration of many
 * groups. Meanwhile a client creates groups in another integration, one after the other. Prints the longest time
 * between two acknowledged creates, and exits with 1 if it is over LIMIT milliseconds.
 *
 *   npm run build && node bench/stress/bulk.mjs [CONTACTS=300000] [GROUPS=200000] [LIMIT=250]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout } from "node:timers/promises";
import { writeContacts } from "../../test/support/contacts-file.mjs";
import { createUser, dataOf } from "./clients.mjs";
import { createHttpClient } from "./http-client.mjs";
import { startPostgres, startServer } from "./postgres.mjs";

const [contacts = 300_000, groups = 200_000, limit = 250] = process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), "sendctl-bulk-"));
const print = (line) => process.stdout.write(`${line}\n`);

const postgres = await startPostgres(folder);
const url = postgres.url("sendctl");
const server = await startServer(folder, url);
const { send, close } = createHttpClient(server.port, server.key, 1);

/** Runs a command on the database. Returns its data. */
function sendctl(key, ...args) {
  const user = createUser(folder, url);
  const env = key === undefined ? user.env : { ...user.env, SENDCTL_SECRET_KEY: key };
  return dataOf({ ...user, env }, ...args);
}

let isTooLong = false;

/** Creates groups while `work` runs and for a second after it. */
async function measure(what, work) {
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
      if (![201, 503].includes(status)) throw new Error(`a create got ${status}`);
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
  const { problem_count: problems } = await sendctl(undefined, "local", "check");
  if (problems > 0) throw new Error(`local check found ${problems} problems`);
}

await sendctl(undefined, "local", "integration", "create", "bulk");
const ofBulk = ["--integration", "bulk"];
const { secret_key: key } = await sendctl(undefined, "local", "key", "create", ...ofBulk);
await sendctl(key, "group", "create", "Many");

const file = join(folder, "contacts.csv");
writeContacts(file, contacts);

await measure("Nothing else", () => setTimeout(3000));
const [{ id }] = (await sendctl(key, "group", "list")).data;
const imported = await measure(`Import of ${contacts} contacts`, () =>
  sendctl(key, "local", "contact", "import", id, file),
);
print(`  ${imported.added} added`);
await check();
await measure(`Second import of the same file`, () =>
  sendctl(key, "local", "contact", "import", id, file),
);
await check();
await measure("Delete of the group", () => sendctl(key, "group", "delete", id, "--yes"));
await check();
await sendctl(key, "local", "seed", "--groups", String(groups), "--contacts", "0");
await measure(`Delete of an integration of ${groups} groups`, () =>
  sendctl(undefined, "local", "integration", "delete", "bulk", "--yes"),
);
await check();

close();
await server.end("SIGTERM");
await postgres.stop();
rmSync(folder, { recursive: true, force: true });
print(isTooLong ? `A wait was over ${limit} ms` : `No wait was over ${limit} ms`);
process.exitCode = isTooLong ? 1 : 0;
