// Packs sendctl, installs the package elsewhere as a user does, and uses it: node test/package/smoke.mjs
// Runs on every system; CI runs it where the whole suite may not.
import assert from "node:assert/strict";
import { mkdtemp, readdir, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { platform, stdout } from "node:process";
import { execa } from "execa";

const root = join(import.meta.dirname, "../..");
const folder = await realpath(await mkdtemp(join(tmpdir(), "sendctl-smoke-")));
const data = join(folder, "data");
const program = platform === "win32" ? join(folder, "sendctl.cmd") : join(folder, "bin/sendctl");
const settings = {
  cwd: folder,
  env: { XDG_DATA_HOME: data, XDG_CONFIG_HOME: data, XDG_STATE_HOME: data },
};

/** Runs the installed program, as npm put it where a shell finds it. */
async function sendctl(...args) {
  const { stdout } = await execa(program, args, settings);
  return stdout;
}

async function dataOf(...args) {
  return JSON.parse(await sendctl(...args, "--json")).data;
}

const checks = {
  "installs from its tarball": async () => {
    await execa("npm", ["pack", "--ignore-scripts", "--pack-destination", folder], { cwd: root });
    const tarball = (await readdir(folder)).find((name) => name.endsWith(".tgz"));
    const options = ["--global", "--no-audit", "--no-fund", "--allow-scripts=better-sqlite3"];
    const args = ["install", ...options, "--prefix", folder, join(folder, tarball)];
    await execa("npm", args, { cwd: folder });
  },
  "reports its version": async () => {
    assert.match(await sendctl("--version"), /^\d+\.\d+\.\d+/);
  },
  "creates and lists records": async () => {
    await dataOf("group", "create", "Friends");
    const { data } = await dataOf("group", "list");
    assert.deepEqual(
      data.map(({ name }) => name),
      ["Friends"],
    );
  },
  "backs up and restores": async () => {
    const backup = join(folder, "backup.db");
    await sendctl("local", "backup", backup);
    await sendctl("local", "backup", backup, "--force");
    await sendctl("group", "create", "Others");
    await sendctl("local", "restore", backup, "--yes");
    assert.equal((await dataOf("group", "list")).data.length, 1);
  },
  "applies a manifest": async () => {
    const input = "groups:\n  - name: Applied\n";
    await execa(program, ["apply", "-f", "-", "--yes"], { ...settings, input });
    assert.equal((await dataOf("group", "list")).data.length, 2);
  },
  "runs a command with a temporary service": async () => {
    const request =
      "fetch(process.env.SENDCTL_BASE_URL + '/healthz').then(({ status }) => console.log(status))";
    const printed = await sendctl("local", "run", "--", "node", "--eval", request);
    assert.equal(printed, "200");
  },
  "finds nothing wrong": async () => {
    await sendctl("doctor");
  },
};

try {
  for (const [name, check] of Object.entries(checks)) {
    await check();
    stdout.write(`ok ${name}\n`);
  }
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
