import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { openSqliteStore } from "../../../src/engine/sqlite/store.ts";
import { type Store } from "../../../src/engine/store/store.ts";
import { defaultIntegration } from "../../../src/engine/store/stored.ts";
import {
  maintenanceOf,
  newFolder,
  restore,
  someTime,
  withEngine,
  insertGroup,
} from "../support/engine-fixtures.ts";

const insert = (store: Store, name: string) => insertGroup(store, defaultIntegration, { name });

const namesIn = (file: string): Promise<string[]> =>
  withEngine(file, async (_, store) =>
    (await store.sliceOfGroups(defaultIntegration, 0, 1000)).items.map(({ name }) => name),
  );

async function filesOf(file: string, endings: readonly string[]): Promise<Map<string, Buffer>> {
  const files = await Promise.all(
    endings.map(async (ending) => [ending, await readFile(`${file}${ending}`)] as const),
  );
  return new Map(files);
}

/**
 * Creates a backup with the groups 1 to 3, and its database as a SIGKILL leaves it: three more
 * groups and an update of group 1 are in the log beside it.
 */
async function killedDatabase(leftovers: readonly string[]) {
  const { folder, file } = await newFolder();
  const backup = join(folder, "a.backup");
  await withEngine(file, async (_, store) => {
    for (const name of ["One", "Two", "Three"]) await insert(store, name);
  });
  await maintenanceOf(file).backup(backup, false);
  const store = openSqliteStore(file, () => someTime);
  for (const name of ["Four", "Five", "Six"]) await insert(store, name);
  await store.updateGroup(defaultIntegration, { id: 1 }, { name: "Changed" });
  const left = await filesOf(file, ["", ...leftovers]);
  await store.close();
  for (const [ending, bytes] of left) await writeFile(`${file}${ending}`, bytes);
  return { folder, file, backup, left };
}

const backedUp = ["Three", "Two", "One"];

const damages: Readonly<Record<string, (file: string) => Promise<void>>> = {
  "truncated to two pages": (file) => truncate(file, 8192),
  "truncated within the first page": (file) => truncate(file, 1000),
  "without a schema": async (file) => {
    const bytes = await readFile(file);
    await writeFile(file, bytes.fill(0xff, 100, 4096));
  },
};

describe("a restore after a kill", () => {
  for (const leftovers of [["-wal", "-shm"], ["-wal"]]) {
    for (const [what, damage] of Object.entries(damages)) {
      test(`over a database ${what}, with ${leftovers.join(" and ")}`, async () => {
        const { folder, file, backup } = await killedDatabase(leftovers);
        await damage(file);
        const { current, keptFile } = await restore(file, backup);
        expect([current, keptFile]).toEqual(["damaged", `${file}.before-restore`]);
        const names = (await readdir(folder)).toSorted();
        const keptNames = names.filter((name) => name.startsWith(basename(keptFile!)));
        // No file of the damaged database remains beside the new one.
        expect(names).toEqual(["a.backup", basename(file), ...keptNames]);
        // The last writes can still be recovered.
        const bytes = await Promise.all(keptNames.map((name) => readFile(join(folder, name))));
        for (const name of ["Four", "Five", "Six"]) {
          expect(bytes.some((content) => content.includes(name))).toBe(true);
        }
        expect(await namesIn(file)).toEqual(backedUp);
        expect(await maintenanceOf(file).check()).toMatchObject({ problem_count: 0 });
      });
    }

    test(`over an intact database, with ${leftovers.join(" and ")}, continues ids and times`, async () => {
      const { folder, file, backup } = await killedDatabase(leftovers);
      const kept = `${file}.before-restore`;
      expect(await restore(file, backup)).toMatchObject({ keptFile: kept });
      expect(await namesIn(file)).toEqual(backedUp);
      const names = ["a.backup", basename(file), basename(kept)];
      expect((await readdir(folder)).toSorted()).toEqual(names);
      expect(await namesIn(kept)).toEqual(["Six", "Five", "Four", "Three", "Two", "Changed"]);
      const next = await withEngine(file, (_, store) => insert(store, "Next"));
      expect(next.id).toBe(7);
      // Six groups were created from someTime on, and the clock does not advance.
      expect(next.created_at).toBeGreaterThan(someTime + 5);
      expect(await maintenanceOf(file).check()).toMatchObject({ problem_count: 0 });
    });

    for (const state of ["missing", "empty"] as const) {
      test(`over ${state === "missing" ? "a missing" : "an empty"} database, with ${leftovers.join(" and ")}`, async () => {
        const { file, backup } = await killedDatabase(leftovers);
        if (state === "missing") await rm(file);
        else await truncate(file, 0);
        expect(await restore(file, backup)).toMatchObject({ keptFile: null });
        expect(await namesIn(file)).toEqual(backedUp);
        expect(await maintenanceOf(file).check()).toMatchObject({ problem_count: 0 });
        const log = await readFile(`${file}.before-restore-wal`);
        for (const name of ["Four", "Five", "Six"]) expect(log.includes(name)).toBe(true);
      });
    }
  }

  test("over a damaged database, twice, keeps the last one with its own log", async () => {
    const { file, backup, left } = await killedDatabase(["-wal", "-shm"]);
    for (const length of [8192, 1000]) {
      for (const [ending, bytes] of left) await writeFile(`${file}${ending}`, bytes);
      await truncate(file, length);
      const { keptFile } = await restore(file, backup);
      expect((await readFile(keptFile!)).length).toBe(length);
      expect((await readFile(`${keptFile}-wal`)).equals(left.get("-wal")!)).toBe(true);
    }
    expect(await namesIn(file)).toEqual(backedUp);
  });

  test("keeps the log of an earlier one from the next", async () => {
    const { file, backup, left } = await killedDatabase(["-wal"]);
    await truncate(file, 8192);
    await restore(file, backup);
    const { keptFile } = await restore(file, backup);
    expect(existsSync(`${keptFile}-wal`)).toBe(false);
    expect(await namesIn(keptFile!)).toEqual(backedUp);
    expect(left.size).toBe(2);
  });
});

test("a restore replaces no pipe, no folder and no other program's file", async () => {
  const { folder, backup } = await killedDatabase([]);
  const [pipe, other] = [join(folder, "pipe"), join(folder, "other.db")];
  execFileSync("mkfifo", [pipe]);
  await writeFile(other, "text of another program");
  for (const file of [pipe, folder, other]) {
    await expect(restore(file, backup)).rejects.toMatchObject({ kind: "database" });
  }
  expect([(await stat(pipe)).isFIFO(), (await stat(folder)).isDirectory()]).toEqual([true, true]);
  expect(await readFile(other, "utf8")).toBe("text of another program");
});
