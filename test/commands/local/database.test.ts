import { spawnSync } from "node:child_process";
import { chmod, mkdir, readdir, rm, readFile, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { describe, vi } from "vitest";
import { contentsOf, printed, test, type Home } from "../../support/home.ts";
import { connect } from "../../../src/engine/sqlite/database-file.ts";
import { until } from "../../support/waiting.ts";

// Tests start processes, which can be slow on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const local = (home: Home, line: string) => home.run(["local", ...line.split(" ")]);

async function stock(home: Home): Promise<void> {
  await home.run(["sender-id", "create", "ACME", "--purpose", "Orders"]);
  for (const name of ["Friends", "Family"]) await home.run(["group", "create", name]);
}

function change(home: Home, sql: string): void {
  const database = connect(home.database);
  database.exec(sql);
  database.close();
}

const noLeftovers = async (folder: string) =>
  (await readdir(folder)).filter((name) => name.startsWith(".") && name !== ".local");

describe.concurrent("local check", () => {
  test("reports every problem and exits with 11", async ({ home, expect }) => {
    await stock(home);
    change(home, "PRAGMA foreign_keys = OFF; UPDATE contact_group SET sender_id = 5 WHERE id = 1");
    const detail = "row 1 of contact_group refers to a missing row of sender_id";
    const message = `the database ${home.database} has 1 problem`;
    const hint = "restore it from a backup: sendctl local restore FILE";
    const stderr = `sendctl: ${message}\nhint: ${hint}\n`;
    const outcome = await local(home, "check");
    expect(outcome).toMatchObject({ exitCode: 11, stderr });
    expect(outcome.stdout).toContain(`references  error   ${detail}\n`);
    expect(await local(home, "check --json")).toStrictEqual({
      exitCode: 11,
      stdout: printed({
        status: false,
        message,
        data: {
          database: home.database,
          exists: true,
          problem_count: 1,
          problems: [{ check: "references", detail }],
        },
        error: { kind: "database", http_status: null, message, hint },
      }),
      stderr,
    });
  });
});

describe.concurrent("local backup", () => {
  test("leaves no file behind on a full disk", async ({ home, expect }) => {
    await stock(home);
    await mkdir(join(home.folder, "out"));
    const outcome = await home.shell("ulimit -f 32; sendctl local backup out/copy.db");
    expect(outcome).toMatchObject({ exitCode: 11, stdout: "" });
    expect(outcome.stderr).toMatch(
      /^sendctl: \S+copy\.db cannot be written\nhint: free disk space/,
    );
    expect(await readdir(join(home.folder, "out"))).toStrictEqual([]);
  });

  // Root can write anywhere.
  test.skipIf(process.getuid?.() === 0)(
    "fails in a folder that is not writable (skipped for root)",
    async ({ home, expect }) => {
      await stock(home);
      await mkdir(join(home.folder, "out"), { mode: 0o500 });
      expect(await local(home, "backup out/copy.db")).toMatchObject({ exitCode: 2 });
      await chmod(join(home.folder, "out"), 0o700);
    },
  );
});

const newDisk = "unshare --user --map-root-user --mount";
const canMount =
  spawnSync("/bin/sh", ["-c", `${newDisk} mount -t tmpfs none ${tmpdir()}`]).status === 0;

test.skipIf(!canMount)(
  "local backup to a full disk fails (skipped where no tmpfs can be mounted)",
  async ({ home, expect }) => {
    await stock(home);
    const disk = join(home.folder, "disk");
    await mkdir(disk);
    const inner = `mount -t tmpfs -o size=40k none '${disk}' && "$NODE" "$LAUNCHER" local backup '${disk}/copy.db'; echo "$? $(ls -A '${disk}')"`;
    const outcome = await home.shell(
      `${newDisk} /bin/sh -c "${inner.replaceAll(/["$]/g, "\\$&")}"`,
    );
    expect(outcome.stdout).toBe("11 \n");
    expect(outcome.stderr).toMatch(/cannot be written\nhint: free disk space/);
  },
);

describe.concurrent("local restore", () => {
  test("leaves no file behind on a full disk", async ({ home, expect }) => {
    await stock(home);
    await local(home, "backup copy.db");
    const before = contentsOf(home.database);
    const outcome = await home.shell("ulimit -f 32; sendctl local restore copy.db --yes");
    expect(outcome).toMatchObject({ exitCode: 11, stdout: "" });
    expect(contentsOf(home.database)).toStrictEqual(before);
    expect(await noLeftovers(join(home.folder, "data", "sendctl"))).toStrictEqual([]);
  });
});

const writer = join(import.meta.dirname, "../../support/writer.mjs");
const restoreKill = join(import.meta.dirname, "../../../bench/stress/restore-kill.mjs");

test("backs up and resets while 8 processes write", async ({ home, expect }) => {
  await stock(home);
  const writers = Array.from({ length: 8 }, (_, index) => {
    const log = join(home.folder, `${index}.log`);
    return execa(process.execPath, [writer, home.database, `${index}`, log], {
      reject: false,
    });
  });
  const acknowledged = async () => {
    const logs = (await readdir(home.folder)).filter((name) => name.endsWith(".log"));
    const texts = await Promise.all(logs.map((name) => readFile(join(home.folder, name), "utf8")));
    return texts.flatMap((text) =>
      text
        .split("\n")
        .slice(0, -1)
        .map((line) => line.split(":")[0]),
    );
  };
  await until("100 writes", async () => (await acknowledged()).length >= 100, 0);
  for (let round = 1; round <= 2; round += 1) {
    const before = await acknowledged();
    const outcome = await local(home, `backup ${round}.db --json`);
    expect(outcome.stderr).toBe("");
    const copy = join(home.folder, `${round}.db`);
    const [, groups] = contentsOf(copy) as [unknown, { name: string }[]];
    const names = new Set(groups.map(({ name }) => name));
    expect(before.filter((name) => !names.has(name!))).toStrictEqual([]);
    expect((await local(home, `check --database ${copy}`)).exitCode).toBe(0);
    expect((await local(home, "check")).exitCode).toBe(0);
  }
  const reset = await local(home, "reset --yes");
  expect(reset).toMatchObject({ exitCode: 0 });
  const restored = await local(home, "restore 2.db --yes");
  expect(restored.exitCode).toBe(11);
  expect((await local(home, "check")).exitCode).toBe(0);
  for (const writer of writers) expect(writer.exitCode).toBeNull();
  for (const writer of writers) writer.kill("SIGKILL");
  await Promise.all(writers);
});

test("a killed restore leaves the complete old or new database", async ({ expect }) => {
  const outcome = await execa(process.execPath, [restoreKill, "6", "2", "3000"], {
    reject: false,
  });
  expect(outcome.stderr).toBe("");
  expect(outcome.exitCode).toBe(0);
  expect(outcome.stdout).toMatch(/^6 rounds: /);
});

/** Returns the size of the largest file in bytes; -1 in an empty folder. Files may disappear meanwhile. */
async function largestIn(folder: string): Promise<number> {
  const sizes = (await readdir(folder)).map(async (name) => {
    const found = await stat(join(folder, name)).catch(() => undefined);
    return found?.size ?? -1;
  });
  return Math.max(-1, ...(await Promise.all(sizes)));
}

for (const [signal, exitCode, when, share] of [
  ["SIGINT", 130, "at its start", 0],
  ["SIGTERM", 143, "while it writes the copy", 0.5],
] as const) {
  test(`a backup that ${signal} ends ${when} leaves no file behind`, async ({ home, expect }) => {
    await stock(home);
    change(
      home,
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150000)
       INSERT INTO contact_group (integration_id, uuid, name, send_birthday, created_at)
       SELECT 1, i, 'x', 0, (SELECT newest FROM clock) + i FROM n;
       UPDATE clock SET newest = newest + 150000`,
    );
    const out = join(home.folder, "out");
    const { size } = await stat(home.database);
    const backUp = async () => {
      await rm(out, { recursive: true, force: true });
      await mkdir(out);
      const child = home.start(["local", "backup", "out/copy.db"]);
      await until("the copy has started", async () => (await largestIn(out)) >= share * size, 0);
      child.kill(signal);
      return child;
    };
    // On a busy machine the signal may come too late, so the backup is repeated.
    let outcome = await backUp();
    for (let more = 0; outcome.exitCode === 0 && more < 20; more += 1) outcome = await backUp();
    expect(outcome.stderr).toMatch(/^(?:sendctl: )?Interrupted: nothing was changed\n$/);
    expect(outcome.exitCode).toBe(exitCode);
    expect(await readdir(join(home.folder, "out"))).toStrictEqual([]);
  });
}
