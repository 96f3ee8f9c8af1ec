/**
 * Sets the clock of a running server back by a day, twice (needs libfaketime). created_at must still ascend, sender
 * IDs must be approved in time, and rate limit and log must keep working.
 *
 *   node bench/stress/clock.mjs [LIBFAKETIME=/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1]
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { createUser, dataOf, killAll, startServer } from "./clients.mjs";

const [library = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1"] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "sendctl-clock-"));
const clock = join(folder, "clock");

try {
  if (!existsSync(library)) throw new Error(`${library} does not exist: install faketime`);
  const user = createUser(folder);
  const key = await dataOf(user, "local", "key", "create");
  const faked = {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: clock,
    FAKETIME_NO_CACHE: "1",
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
  };
  writeFileSync(clock, "+0");
  const served = { ...user, env: { ...user.env, ...faked } };
  const { address } = startServer(served, "--auto-approve-after", "2s", "--rate-limit", "100");
  const client = {
    ...user,
    env: { ...user.env, SENDCTL_BASE_URL: await address, SENDCTL_SECRET_KEY: key.secret_key },
  };
  const moments = [];
  for (const [name, ahead] of [
    ["Before", "+0"],
    ["One day back", "-1d"],
    ["Two days back", "-2d"],
    ["After", "+0"],
  ]) {
    writeFileSync(clock, ahead);
    const purpose = ["--purpose", "Orders"];
    moments.push((await dataOf(client, "sender-id", "create", name, ...purpose)).created_at);
    await dataOf(client, "sender-id", "wait", name, "--for", "APPROVED", "--timeout", "30s");
  }
  const isAscending = moments.every((moment, index) => index === 0 || moment > moments[index - 1]);
  if (!isAscending) throw new Error(`created_at does not ascend: ${moments.join(", ")}`);
  const days = readFileSync(`${user.file}.log`, "utf8").match(/"time":"\d{4}-\d\d-\d\d/g);
  if (new Set(days).size !== 3) throw new Error("the clock was not set back");
  process.stdout.write(
    `clock set back twice and corrected: approved each time; ${moments.join(" < ")}\n`,
  );
} finally {
  await killAll();
  rmSync(folder, { recursive: true, force: true });
}
