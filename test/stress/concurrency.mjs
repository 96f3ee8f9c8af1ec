/**
 * Runs two servers and ten command lines on one database for minutes. No write may be lost, and none may be refused
 * except as "busy", which can be retried.
 *
 *   node test/stress/concurrency.mjs [--minutes 3] [--seed 1]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { audit } from "./audit.mjs";
import { addWriter, createBook, keepWriting } from "./write-load.mjs";
import { createUser, killAll, newKey, onCommandLine, overHttp } from "./clients.mjs";
import { sendctl, startServer } from "./clients.mjs";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "3" },
    seed: { type: "string", default: "1" },
  },
});
const [minutes, seed] = [values.minutes, values.seed].map(Number);
const [servers, clientsOfEach, commandLines] = [2, 2, 10];

const folder = mkdtempSync(join(tmpdir(), "sendctl-concurrency-"));
const book = createBook();

try {
  const user = createUser(folder);
  const key = await newKey(user);
  for (let server = 1; server <= servers; server += 1) {
    const baseUrl = await startServer(user).address;
    for (let client = 1; client <= clientsOfEach; client += 1) {
      const name = `Server ${server} client ${client}`;
      addWriter(book, name, seed * 1000 + server * 10 + client, overHttp(baseUrl, key));
    }
  }
  const overCommandLine = onCommandLine(user, () => false);
  for (let line = 1; line <= commandLines; line += 1) {
    const writer = addWriter(book, `Line ${line}`, seed * 2000 + line, overCommandLine);
    writer.importsContacts = true;
  }
  const end = performance.now() + minutes * 60_000;
  const isOver = () => performance.now() > end || book.problems.length > 0;
  await Promise.all(book.writers.map((writer) => keepWriting(book, writer, isOver)));
  const lost = book.writers.filter(({ pending }) => pending !== undefined);
  for (const { name } of lost) book.problems.push(`${name}: no response`);
  await killAll();
  const checked = await sendctl(user, "local", "check");
  if (checked.code !== 0) book.problems.push(`local check: ${checked.stdout}${checked.stderr}`);
  audit(book, user.file);
  for (const problem of book.problems) process.stderr.write(`${problem}\n`);
  const slowest = book.writers.map(({ name, slowest }) => [name, slowest]);
  const slowestOf = (start) =>
    Math.round(Math.max(...slowest.filter(([name]) => name.startsWith(start)).map(([, ms]) => ms)));
  process.stdout.write(
    `${minutes} minutes: ${book.counts.acknowledged} writes acknowledged, ${book.counts.lost} lost; ` +
      `${book.counts.busy} refused as busy; ${book.problems.length} problems; slowest response ` +
      `${slowestOf("Server")} ms, slowest command line ${slowestOf("Line")} ms\n`,
  );
  if (book.problems.length > 0) process.exitCode = 1;
} finally {
  await killAll();
  rmSync(folder, { recursive: true, force: true });
}
