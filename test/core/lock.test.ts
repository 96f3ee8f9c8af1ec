import { existsSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { readdir, rm, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, vi } from "vitest";
import { withLock } from "../../src/core/lock.ts";
import { test as atHome } from "../support/home.ts";

/** Actions of other processes around the next rename, which timing alone could not reproduce. */
interface Others {
  beforeRename?: () => void;
  afterRename?: () => void;
  beforeLink?: () => void;
}

const others = vi.hoisted((): Others => ({}));

function actOnce(when: keyof Others): void {
  const act = others[when];
  delete others[when];
  act?.();
}

/** Mocks only Node, because the race depends on renameSync. */
vi.mock(import("node:fs"), async (original) => {
  const fs = await original();
  return {
    ...fs,
    linkSync: (from, to) => {
      actOnce("beforeLink");
      fs.linkSync(from, to);
    },
    renameSync: (from, to) => {
      actOnce("beforeRename");
      fs.renameSync(from, to);
      actOnce("afterRename");
    },
  };
});

const wait = async (milliseconds: number): Promise<void> => {
  await setTimeout(milliseconds);
};

const test = atHome.extend<{ lock: string }>({
  lock: async ({ home }, use) => {
    await use(join(home.folder, "config.json.lock"));
    delete others.beforeRename;
    delete others.afterRename;
  },
});

/** Returns a function that replaces a lock, as another process would that took it. */
function takeOver(lock: string): () => void {
  return () => {
    rmSync(lock, { force: true });
    writeFileSync(lock, "another's");
  };
}

function fail(): never {
  throw new Error("failed");
}

test("leaves nothing behind after success and failure", async ({ lock, expect }) => {
  expect(await withLock(lock, () => existsSync(lock), wait)).toBe(true);
  await expect(withLock(lock, fail, wait)).rejects.toThrow("failed");
  expect(await readdir(dirname(lock))).toEqual([]);
});

test.for([
  ["is only about to write its id", ""],
  ["has an id of another host, which does not exist on this one", "2147483647 another-host"],
] as const)(
  "waits for the process that holds the lock, which %s",
  async ([, content], { lock, expect }) => {
    await writeFile(lock, content);
    let waits = 0;
    const release = async (): Promise<void> => {
      waits += 1;
      if (waits === 3) await rm(lock);
    };
    expect(await withLock(lock, () => waits, release)).toBe(3);
  },
);

test("times out if other processes hold the lock", async ({ lock, expect }) => {
  await writeFile(lock, "another's");
  let now = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
  let waits = 0;
  const failing = withLock(lock, fail, async () => {
    waits += 1;
    now += 4000;
    // The other processes take the lock in turn, so that it is never stale.
    utimesSync(lock, new Date(), new Date());
  });
  await expect(failing).rejects.toMatchObject({ kind: "usage" });
  clock.mockRestore();
  expect(waits).toBe(4);
  expect(readFileSync(lock, "utf8")).toBe("another's");
});

describe("a lock of a killed process", () => {
  const minute = 60_000;

  /** @param age in milliseconds */
  async function stale(lock: string, age = minute): Promise<void> {
    await writeFile(lock, "stale");
    const then = new Date(Date.now() - age);
    await utimes(lock, then, then);
  }

  test.for([
    ["old", 2 * minute],
    ["in the future, after the clock was set back", -2 * minute],
  ] as const)(
    "is taken by many processes, one at a time: %s",
    async ([, age], { lock, expect }) => {
      await stale(lock, age);
      const done = await Promise.all(
        Array.from({ length: 10 }, (_, index) => withLock(lock, () => index, wait)),
      );
      expect(done).toHaveLength(10);
      expect(await readdir(dirname(lock))).toEqual([]);
    },
  );

  test("is taken at once if it is of this machine", async ({ lock, expect }) => {
    const own = await withLock(lock, () => readFileSync(lock, "utf8"), wait);
    await writeFile(lock, own.replace(/^\d+/, "2147483647"));
    await withLock(lock, () => {}, fail);
    expect(await readdir(dirname(lock))).toEqual([]);
  });

  test("has its content from the beginning", async ({ lock, expect }) => {
    let isTaken = false;
    others.beforeLink = () => {
      isTaken = existsSync(lock);
      takeOver(lock)();
    };
    await withLock(
      lock,
      () => {},
      async () => rmSync(lock),
    );
    expect([isTaken, others]).toEqual([false, {}]);
  });

  test("is restored if another process has just taken it", async ({ lock, expect }) => {
    await stale(lock);
    others.beforeRename = takeOver(lock);
    const seen: (string | undefined)[] = [];
    const taken = await withLock(
      lock,
      () => seen.length,
      async () => {
        seen.push(existsSync(lock) ? readFileSync(lock, "utf8") : undefined);
        expect(await readdir(dirname(lock))).toHaveLength(1);
        if (seen.length === 3) rmSync(lock);
      },
    );
    expect(others).toStrictEqual({});
    expect(seen).toStrictEqual(["another's", "another's", "another's"]);
    expect(taken).toBe(3);
    expect(await readdir(dirname(lock))).toEqual([]);
  });

  test("is not restored over the lock of a third process", async ({ lock, expect }) => {
    await stale(lock);
    others.beforeRename = takeOver(lock);
    others.afterRename = () => writeFileSync(lock, "a third's");
    const seen: string[] = [];
    await withLock(
      lock,
      () => {},
      async () => {
        seen.push(readFileSync(lock, "utf8"));
        expect(await readdir(dirname(lock))).toHaveLength(1);
        rmSync(lock);
      },
    );
    expect(others).toStrictEqual({});
    expect(seen).toStrictEqual(["a third's"]);
    expect(await readdir(dirname(lock))).toEqual([]);
  });

  test("can be taken and released by another process first", async ({ lock, expect }) => {
    await stale(lock);
    others.beforeRename = () => rmSync(lock);
    expect(await withLock(lock, () => existsSync(lock), wait)).toBe(true);
    expect(others).toStrictEqual({});
    expect(await readdir(dirname(lock))).toEqual([]);
  });
});
