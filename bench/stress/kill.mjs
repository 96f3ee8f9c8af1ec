/**
 * Kills servers and commands with SIGKILL while they write, for many rounds on one database. After each round, every
 * acknowledged write must exist, a write without a response must be complete or absent, no id may be assigned twice,
 * created_at must ascend, and `local check` must find no problem.
 *
 *   node bench/stress/kill.mjs [--rounds 300] [--seed 1] [--clients 6]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { audit } from "./audit.mjs";
import { addWriter, createBook, keepWriting, randomFrom } from "./write-load.mjs";
import { createUser, end, killAll, newKey, onCommandLine, overHttp } from "./clients.mjs";
import { sendctl, startServer } from "./clients.mjs";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "300" },
    seed: { type: "string", default: "1" },
    clients: { type: "string", default: "6" },
  },
});
const [rounds, seed, clients] = [values.rounds, values.seed, values.clients].map(Number);
const commandLines = 2;

/** Maximum time from the start of the servers to the end of a round, in milliseconds. */
const maxRound = 1500;

const folder = mkdtempSync(join(tmpdir(), "sendctl-kill-"));
const random = randomFrom(seed);
const book = createBook();
const moments = { "while servers started": 0, "one server before the other": 0 };

try {
  const user = createUser(folder);
  const key = await newKey(user);
  let isOver = false;
  const overCommandLine = onCommandLine(user, () => isOver);
  for (let number = 1; number <= clients; number += 1) {
    addWriter(book, `Client ${number}`, seed * 1000 + number, undefined);
  }
  for (let number = 1; number <= commandLines; number += 1) {
    const writer = addWriter(book, `Line ${number}`, seed * 2000 + number, overCommandLine);
    writer.importsContacts = true;
  }
  for (let round = 1; round <= rounds && book.problems.length === 0; round += 1) {
    isOver = false;
    const servers = Array.from({ length: random() < 0.5 ? 1 : 2 }, () => startServer(user));
    const writing = book.writers.map(async (writer, index) => {
      if (index < clients) {
        const baseUrl = await servers[index % servers.length].address;
        if (baseUrl === undefined) return;
        writer.send = overHttp(baseUrl, key);
      }
      await keepWriting(book, writer, () => isOver);
    });
    const moment = random() * maxRound;
    const isFirstAlone = servers.length === 2 && random() < 0.5;
    await setTimeout(moment);
    if (!servers.every(({ isUp }) => isUp())) moments["while servers started"] += 1;
    if (isFirstAlone) {
      moments["one server before the other"] += 1;
      await end(servers[0].child, "SIGKILL");
      await setTimeout(random() * 200);
    }
    isOver = true;
    await killAll();
    await Promise.all(writing);
    const checked = await sendctl(user, "local", "check");
    if (checked.code !== 0) book.problems.push(`local check: ${checked.stdout}${checked.stderr}`);
    audit(book, user.file);
    for (const problem of book.problems) process.stderr.write(`round ${round}: ${problem}\n`);
  }
  const { acknowledged, lost, busy, carriedOut, "in flight": inFlight } = book.counts;
  process.stdout.write(
    `${rounds} rounds (seed ${seed}): ${acknowledged} writes acknowledged, ${lost} lost; ` +
      `${inFlight} in flight when killed, of which ${carriedOut} were carried out completely; ` +
      `${busy} refused as busy; ${book.problems.length} problems\n` +
      `killed ${Object.entries(moments)
        .map(([when, count]) => `${when}: ${count}`)
        .join(", ")}\n`,
  );
  if (book.problems.length > 0) process.exitCode = 1;
} finally {
  await killAll();
  rmSync(folder, { recursive: true, force: true });
}
