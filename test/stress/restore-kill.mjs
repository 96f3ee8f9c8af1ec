/**
 * Restores two backups in turn, each time killed (SIGKILL) at a moment of its own, while others write and
 * a server reads. Whatever the moment: the database has the one content whole or the other, is sound, has
 * lost nothing that was acknowledged since it got that content, and gives no id twice.
 *
 *   node test/stress/restore-kill.mjs [ROUNDS=200] [WRITERS=4] [GROUPS=5000]
 */
import { spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout } from "node:timers/promises";
import { open } from "./sqlite.mjs";

const [rounds = 200, writers = 4, groups = 5000] = process.argv.slice(2).map(Number);
const launcher = join(import.meta.dirname, "../../bin/sendctl.js");
const folder = mkdtempSync(join(tmpdir(), "sendctl-restore-kill-"));
const file = join(folder, "sendctl.db");
const env = { PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: folder };

function sendctl(...args) {
  const options = { env, encoding: "utf8" };
  const words = [launcher, ...args, "--database", file];
  return spawnSync(process.execPath, words, options);
}

function need(condition, message) {
  if (!condition) throw new Error(message);
}

function done(...args) {
  const { status, stderr } = sendctl(...args);
  need(status === 0, `${args.join(" ")}: ${status} ${stderr}`);
}

/** A backup whose groups all have the same name. */
function backupOf(name) {
  if (readdirSync(folder).includes("sendctl.db")) done("local", "reset", "--yes");
  done("group", "create", name);
  const database = open(file);
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
  done("local", "backup", backup);
  return backup;
}

/** What it holds now: of which content, and which groups of writers. */
function contentOf() {
  const database = open(file, { readonly: true });
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

const children = [];

/** Name and id of each group that was written, and when that was begun. */
function acknowledged() {
  const logs = readdirSync(folder).filter((name) => name.endsWith(".log"));
  const lines = logs.flatMap((name) => readFileSync(join(folder, name), "utf8").split("\n"));
  return lines.filter((line) => line !== "").map((line) => line.split(":"));
}

function startWriters() {
  for (let writer = 1; writer <= writers; writer += 1) {
    const program = join(import.meta.dirname, "writer.mjs");
    const words = [program, file, String(writer), join(folder, `${writer}.log`)];
    const child = spawn(process.execPath, words, { stdio: "inherit" });
    children.push(child);
    child.on("exit", () => (process.exitCode = 1));
  }
  const served = spawn(process.execPath, [launcher, "serve", "--port", "0", "--database", file], {
    env,
    stdio: "ignore",
  });
  children.push(served);
}

async function restoreAndKill(backup, delay) {
  const words = [launcher, "local", "restore", backup, "--yes", "--quiet", "--database", file];
  const child = spawn(process.execPath, words, { env, stdio: ["ignore", "ignore", "inherit"] });
  const ended = new Promise((resolve) =>
    child.on("exit", (code, signal) => resolve({ code, signal })),
  );
  const stopper = new AbortController();
  const killed = setTimeout(delay, undefined, { signal: stopper.signal }).then(
    () => child.kill("SIGKILL"),
    () => {},
  );
  const outcome = await ended;
  stopper.abort();
  await killed;
  return outcome;
}

try {
  const backups = { blue: backupOf("Blue"), red: backupOf("Red") };
  startWriters();
  await setTimeout(500);
  const begun = Date.now();
  const whole = await restoreAndKill(backups.blue, 600_000);
  need(whole.code === 0, `a restore that is left alone ends with ${whole.code}`);
  let longest = Date.now() - begun;
  let now = "blue";
  // What is begun from now on is written to this content.
  let since = Date.now();
  const seen = { killed: 0, done: 0, "killed, and restored": 0 };
  for (let round = 1; round <= rounds; round += 1) {
    const wanted = now === "blue" ? "red" : "blue";
    const started = Date.now();
    const delay = Math.random() * longest;
    const { code, signal } = await restoreAndKill(backups[wanted], delay);
    if (code === 0) longest = Date.now() - started;
    need(code === 0 || signal === "SIGKILL", `round ${round}: ended with ${code ?? signal}`);
    const told = acknowledged();
    const content = contentOf();
    need(content.red + content.blue === groups, `round ${round}: ${JSON.stringify(content)}`);
    need(content.red === 0 || content.blue === 0, `round ${round}: of both contents`);
    const is = content.red === 0 ? "blue" : "red";
    need(code !== 0 || is === wanted, `round ${round}: told to be restored, and is not`);
    if (is === now) {
      const lost = told.filter(
        ([name, , begun]) => Number(begun) > since && !content.written.has(name),
      );
      need(lost.length === 0, `round ${round}: lost ${lost.slice(0, 3).join(", ")}`);
    } else since = Date.now();
    const checked = sendctl("local", "check");
    need(checked.status === 0, `round ${round}: ${checked.stdout}${checked.stderr}`);
    seen[code === 0 ? "done" : is === wanted ? "killed, and restored" : "killed"] += 1;
    now = is;
    for (const name of readdirSync(folder)) {
      if (name.includes(".restore")) rmSync(join(folder, name));
    }
  }
  const ids = acknowledged().map(([, id]) => id);
  need(new Set(ids).size === ids.length, "an id was given twice");
  const counts = Object.entries(seen).map(([name, count]) => `${count} ${name}`);
  process.stdout.write(`${rounds} rounds: ${counts.join(", ")}; ${ids.length} writes\n`);
} finally {
  for (const child of children) child.removeAllListeners("exit").kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
}
