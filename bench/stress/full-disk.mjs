/**
 * Fills up a disk under load, and frees it again. Writes must be refused with 503 or exit code 11 and change nothing,
 * reads must work, the same server must write again afterwards, and the database must be intact.
 *
 *   unshare --user --map-root-user --mount node bench/stress/full-disk.mjs [--seed 1] [--rounds 3]
 *
 * (or as root without unshare)
 */
import { spawnSync } from "node:child_process";
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { writeContacts } from "../contacts-file.mjs";
import { audit } from "./audit.mjs";
import { addWriter, createBook, keepWriting } from "./write-load.mjs";
import { createUser, killAll, newKey, onCommandLine, overHttp } from "./clients.mjs";
import { sendctl, startServer } from "./clients.mjs";
import { count, print } from "./report.mjs";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    rounds: { type: "string", default: "3" },
  },
});
const seed = Number(values.seed);
const rounds = Number(values.rounds);
const folder = mkdtempSync(join(tmpdir(), "sendctl-full-disk-"));
const disk = join(folder, "disk");
const ballast = join(disk, "ballast");
mkdirSync(disk);
const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=8m", "none", disk]);
const book = createBook();
const expect = (condition, message) => {
  if (!condition) book.problems.push(message);
};

/** Fills the disk, except for a number of bytes. */
function fill(left) {
  const piece = Buffer.alloc(4096);
  const descriptor = openSync(ballast, "a");
  try {
    for (;;) writeSync(descriptor, piece);
  } catch {
    // Full.
  }
  closeSync(descriptor);
  truncateSync(ballast, statSync(ballast).size - left);
}

const free = () => rmSync(ballast);

try {
  if (mounted.status !== 0) throw new Error("cannot mount a tmpfs: run as root, or with unshare");
  const user = createUser(folder, join(disk, "sendctl.db"));
  const key = await newKey(user);
  const elsewhere = { ...user, file: join(folder, "other.db") };
  await sendctl(elsewhere, "group", "create", "Other");
  const backup = join(folder, "other.backup");
  await sendctl(elsewhere, "local", "seed", "--groups", "2000", "--contacts", "20000");
  await sendctl(elsewhere, "local", "backup", backup);

  const { address } = startServer(user);
  const send = overHttp(await address, key);
  const line = onCommandLine(user, () => false);
  let isFull = false;
  /** Number of refused writes by their error. */
  const refused = new Map();
  const withRefusals = (way, isExpected) => async (write) => {
    const outcome = await way(write);
    if (outcome.kind === "done") return outcome;
    expect(isFull && isExpected(outcome), `unexpected refusal: ${outcome.text}`);
    count(refused, outcome.text.slice(0, 80).replaceAll("\n", " "));
    return { kind: "busy" };
  };
  for (let number = 1; number <= 3; number += 1) {
    const way = withRefusals(send, ({ kind }) => kind === "busy");
    addWriter(book, `Client ${number}`, seed * 100 + number, way);
  }
  const onLine = withRefusals(line, ({ text }) => text.startsWith("exit 11 "));
  addWriter(book, "Line", seed * 200, onLine).importsContacts = true;
  const writing = (isOver) =>
    Promise.all(book.writers.map((writer) => keepWriting(book, writer, isOver)));

  for (let round = 1; round <= rounds; round += 1) {
    isFull = true;
    fill(300_000);
    const before = book.counts.busy;
    const begun = performance.now();
    await writing(() => book.counts.busy > before + 20 || performance.now() - begun > 20_000);
    expect(book.counts.busy > before, `round ${round}: the disk did not fill up`);
    fill(0);
    const list = await sendctl(user, "group", "list", "--all", "--json");
    expect(list.code === 0, `list: ${list.code} ${list.stderr}`);
    const group = book.writers.flatMap(({ records }) => [...records.group.keys()])[0];
    const csv = join(folder, "many.csv");
    writeContacts(csv, 20_000);
    for (const words of [
      ["local", "contact", "import", String(group), csv],
      ["local", "seed", "--groups", "5000", "--contacts", "0", "--sender-ids", "0"],
      ["local", "backup", join(disk, "new.backup")],
      ["local", "restore", backup, "--yes"],
      ["local", "key", "create"],
    ]) {
      const { code, stderr } = await sendctl(user, ...words);
      expect(code === 11, `${words.slice(0, 3).join(" ")}: ${code} ${stderr}`);
      expect(/^sendctl: .+/m.test(stderr) && !/\n\s+at /.test(stderr), `${words[1]}: ${stderr}`);
    }
    const left = readdirSync(disk).filter((name) => !/^(?:ballast|sendctl\.db.*)$/.test(name));
    expect(left.length === 0, `left behind: ${left.join(", ")}`);
    free();
    isFull = false;
    const after = performance.now();
    await writing(() => performance.now() - after > 1000);
  }
  await setTimeout(100);
  await killAll();
  const checked = await sendctl(user, "local", "check");
  expect(checked.code === 0, `local check: ${checked.stdout}${checked.stderr}`);
  audit(book, user.file);
  for (const problem of book.problems) process.stderr.write(`${problem}\n`);
  print(
    `${rounds} times full: ${book.counts.acknowledged} writes acknowledged, ${book.counts.lost} lost; ` +
      `${book.counts.busy} refused because the disk was full; ${book.problems.length} problems`,
  );
  for (const [error, number] of refused) print(`${number} × ${error}`);
  if (book.problems.length > 0) process.exitCode = 1;
} finally {
  await killAll();
  spawnSync("umount", [disk]);
  rmSync(folder, { recursive: true, force: true });
}
