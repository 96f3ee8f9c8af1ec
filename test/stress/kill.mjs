/**
 * Kills (SIGKILL) servers and command lines while they write, round after round on one database. After each:
 * every acknowledged write is there, a write without an answer is there whole or not at all, no id was given
 * twice, created_at rises, and `local check` finds nothing.
 *
 *   node test/stress/kill.mjs [--rounds 300] [--seed 1] [--clients 6]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { audit } from "./audit.mjs";
import { addWriter, createBook, keepWriting, randomFrom } from "./write-load.mjs";
import { createUser, kill, killAll, newKey, onCommandLine, overHttp } from "./ways.mjs";
import { sendctl, startServer } from "./ways.mjs";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "300" },
    seed: { type: "string", default: "1" },
    clients: { type: "string", default: "6" },
  },
});
const [rounds, seed, clients] = [values.rounds, values.seed, values.clients].map(Number);
const commandLines = 2;

/** Milliseconds from the start of the servers to the end of everything, at most. */
const longestRound = 1500;

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
  for (let round = 1; round <= rounds && book.faults.length === 0; round += 1) {
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
    const moment = random() * longestRound;
    const isFirstAlone = servers.length === 2 && random() < 0.5;
    await setTimeout(moment);
    if (!servers.every(({ isUp }) => isUp())) moments["while servers started"] += 1;
    if (isFirstAlone) {
      moments["one server before the other"] += 1;
      await kill(servers[0].child);
      await setTimeout(random() * 200);
    }
    isOver = true;
    await killAll();
    await Promise.all(writing);
    const checked = await sendctl(user, "local", "check");
    if (checked.code !== 0) book.faults.push(`local check: ${checked.stdout}${checked.stderr}`);
    audit(book, user.file);
    for (const fault of book.faults) process.stderr.write(`round ${round}: ${fault}\n`);
  }
  const { acknowledged, lost, busy, carriedOut, "in flight": inFlight } = book.counts;
  process.stdout.write(
    `${rounds} rounds (seed ${seed}): ${acknowledged} writes acknowledged, ${lost} lost; ` +
      `${inFlight} in flight when killed, of which ${carriedOut} were carried out whole; ` +
      `${busy} told to come again; ${book.faults.length} faults\n` +
      `killed ${Object.entries(moments)
        .map(([when, count]) => `${when}: ${count}`)
        .join(", ")}\n`,
  );
  if (book.faults.length > 0) process.exitCode = 1;
} finally {
  await killAll();
  rmSync(folder, { recursive: true, force: true });
}
