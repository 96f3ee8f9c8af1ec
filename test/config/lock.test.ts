import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { test as base } from "vitest";
import { underLock } from "../../src/config/lock.ts";

const wait = async (milliseconds: number): Promise<void> => {
  await setTimeout(milliseconds);
};

const test = base.extend<{ lock: string }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from the pattern what a fixture needs
  lock: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), "sendctl-lock-"));
    await use(join(folder, "config.json.lock"));
    await rm(folder, { recursive: true });
  },
});

function fail(): never {
  throw new Error("failed");
}

test("leaves nothing behind, whatever happens", async ({ lock, expect }) => {
  expect(await underLock(lock, () => existsSync(lock), wait)).toBe(true);
  await expect(underLock(lock, fail, wait)).rejects.toThrow("failed");
  expect(await readdir(dirname(lock))).toEqual([]);
});

test("waits for who holds it", async ({ lock, expect }) => {
  await writeFile(lock, "");
  let waits = 0;
  const release = async (): Promise<void> => {
    waits += 1;
    if (waits === 3) await rm(lock);
  };
  expect(await underLock(lock, () => waits, release)).toBe(3);
});

test("one of somebody who was ended is taken, by many at once", async ({ lock, expect }) => {
  await writeFile(lock, "");
  const longAgo = new Date(Date.now() - 60_000);
  await utimes(lock, longAgo, longAgo);
  const done = await Promise.all(
    Array.from({ length: 10 }, (_, index) => underLock(lock, () => index, wait)),
  );
  expect(done).toHaveLength(10);
  expect(await readdir(dirname(lock))).toEqual([]);
});

test("one that was taken away is told before it is too late", async ({ lock, expect }) => {
  const { rmSync, writeFileSync } = await import("node:fs");
  const action = (check: () => void): void => {
    check();
    rmSync(lock);
    writeFileSync(lock, "another's");
    check();
  };
  await expect(underLock(lock, action, wait)).rejects.toMatchObject({ kind: "usage", file: lock });
  expect((await stat(lock)).size).toBe(9);
});
