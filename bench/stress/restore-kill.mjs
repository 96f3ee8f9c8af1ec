/**
 * Restores two backups in turn, and kills each restore with SIGKILL at a random moment, while commands write. After each,
 * the database must have exactly one of the two contents, be intact, have lost no write acknowledged since it got that
 * content, and must not have assigned an id twice. A restore and a write that meet may be refused with exit 11.
 *
 *   node bench/stress/restore-kill.mjs [ROUNDS=200] [WRITERS=2] [GROUPS=5000]
 */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as wait } from "node:timers/promises";
import { createUser, dataOf, sendctl, start } from "./clients.mjs";
import { expect, print } from "./report.mjs";
import { Sqlite } from "../../test/support/sqlite.mjs";

const [rounds = 200, writers = 2, groups = 5000] = process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), "sendctl-restore-kill-"));
const file = join(folder, "sendctl.db");
const user = createUser(folder);

/** Creates a backup whose groups all have the same name. */
async function backupOf(name) {
  if (readdirSync(folder).includes("sendctl.db")) await dataOf(user, "local", "reset", "--yes");
  await dataOf(user, "group", "create", name);
  const database = new Sqlite(file);
  const insert = database.prepare(
    `INSERT INTO contact_group
       (integration_id, uuid, name, send_birthday, birthday_message, created_at)
     VALUES (1, ?, ?, 1, ?, ?)`,
  );
  database.transaction(() => {
    const now = Date.now() * 1000;
    for (let count = 1; count < groups; count += 1) {
      insert.run(randomUUID(), name, "Happy birthday ".repeat(10), now + count);
    }
    database.prepare("UPDATE clock SET newest = max(newest, ?)").run(now + groups);
  })();
  database.close();
  const backup = join(folder, `${name}.backup`);
  await dataOf(user, "local", "backup", backup);
  return backup;
}

/** Returns the number of groups of each backup in the database, and the names of the groups of writers. */
function contentOf() {
  // Not read-only: what a killed restore left is rolled back first.
  const database = new Sqlite(file);
  try {
    return database.transaction(() => {
      const count = database.prepare("SELECT count(*) FROM contact_group WHERE name = ?").pluck();
      const written = database
        .prepare("SELECT name FROM contact_group WHERE name LIKE 'Writer %'")
        .pluck()
        .all();
      return { red: count.get("Red"), blue: count.get("Blue"), written: new Set(written) };
    })();
  } finally {
    database.close();
  }
}

/** The acknowledged writes, with the time when each began. */
const acknowledged = [];
const over = new AbortController();

/** Creates groups, one command after the other. */
async function keepWriting(writer) {
  for (let turn = 1; !over.signal.aborted; turn += 1) {
    const name = `Writer ${writer} ${turn}`;
    const begun = Date.now();
    const { code, stdout, stderr } = await sendctl(user, "group", "create", name, "--json");
    expect(code === 0 || code === 11, `${name}: exited with ${code}: ${stderr}`);
    if (code === 0) acknowledged.push({ name, id: JSON.parse(stdout).data.id, begun });
    await wait(Math.random() * 100);
  }
}

/** Starts a restore, and kills it if it takes longer than some milliseconds. @returns its exit code and signal */
async function restoreAndKill(backup, delay) {
  const words = ["local", "restore", backup, "--yes", "--quiet"];
  const child = start(user, words, ["ignore", "ignore", "ignore"]);
  const timer = setTimeout(() => child.kill("SIGKILL"), delay);
  const [code, signal] = await once(child, "exit");
  clearTimeout(timer);
  return { code, signal };
}

try {
  const backups = { blue: await backupOf("Blue"), red: await backupOf("Red") };
  const begun = Date.now();
  const whole = await restoreAndKill(backups.blue, 600_000);
  expect(whole.code === 0, `an undisturbed restore exits with ${whole.code}`);
  let maxTime = Date.now() - begun;
  let now = "blue";
  // Writes that begin after this moment go to this content.
  let since = Date.now();
  const writing = Array.from({ length: writers }, (_, index) => keepWriting(index + 1));
  const seen = { killed: 0, done: 0, "killed after the restore": 0, refused: 0 };
  for (let round = 1; round <= rounds; round += 1) {
    const wanted = now === "blue" ? "red" : "blue";
    const started = Date.now();
    const delay = Math.random() * maxTime;
    const { code, signal } = await restoreAndKill(backups[wanted], delay);
    if (code === 0) maxTime = Date.now() - started;
    const isKnown = code === 0 || code === 11 || signal === "SIGKILL";
    expect(isKnown, `round ${round}: exited with ${code ?? signal}`);
    const writes = [...acknowledged];
    const content = contentOf();
    expect(content.red + content.blue === groups, `round ${round}: ${JSON.stringify(content)}`);
    expect(content.red === 0 || content.blue === 0, `round ${round}: a mixture of both contents`);
    const is = content.red === 0 ? "blue" : "red";
    expect(code !== 0 || is === wanted, `round ${round}: reported as restored, but is not`);
    if (is === now) {
      const lost = writes.filter(({ name, begun }) => begun > since && !content.written.has(name));
      expect(lost.length === 0, `round ${round}: lost ${lost.map(({ name }) => name).join(", ")}`);
    } else since = Date.now();
    const checked = await sendctl(user, "local", "check");
    expect(checked.code === 0, `round ${round}: ${checked.stdout}${checked.stderr}`);
    const killed = is === wanted ? "killed after the restore" : "killed";
    seen[code === 0 ? "done" : code === 11 ? "refused" : killed] += 1;
    now = is;
    for (const name of readdirSync(folder)) {
      if (name.includes(".restore")) rmSync(join(folder, name));
    }
  }
  over.abort();
  await Promise.all(writing);
  const ids = acknowledged.map(({ id }) => id);
  expect(new Set(ids).size === ids.length, "an id was assigned twice");
  const counts = Object.entries(seen).map(([name, count]) => `${count} ${name}`);
  print(`${rounds} rounds: ${counts.join(", ")}; ${ids.length} writes`);
} finally {
  // After a failure, writers still run.
  over.abort();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}
