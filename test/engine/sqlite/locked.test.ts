import { existsSync, statSync } from "node:fs";
import { expect, test } from "vitest";
import type { Reply } from "../../../src/contract/service.ts";
import type { Job } from "../support/engine-process.ts";
import { hashOf, newFolder, withEngine } from "../support/engine-fixtures.ts";
import { startProcesses, type EngineProcess } from "../support/start-engine-processes.ts";
import { connect } from "../../../src/engine/sqlite/database-file.ts";

const list: Job["calls"][number] = ["group.list", { query: {} }];
const create: Job["calls"][number] = ["group.create", { body: { name: "Friends" } }];

const locked = (file: string) => ({
  name: "SendctlError",
  kind: "database",
  message: `the database ${file} is locked by another process`,
  hint: "try again when the other process is done",
  details: { database: "locked" },
});

/**
 * Runs `use` while this process holds the file locked, and expects the file to stay unchanged.
 *
 * Read the file only through SQLite meanwhile: a process that opens and closes a file loses all its
 * locks on it.
 */
async function whileLocked(file: string, sql: string, use: () => Promise<void>): Promise<void> {
  const before = existsSync(file) ? await hashOf(file) : undefined;
  const database = connect(file);
  try {
    database.exec(sql);
    await use();
  } finally {
    database.close();
  }
  if (before !== undefined) expect(await hashOf(file)).toBe(before);
}

/** Creates a database with one group. */
async function databaseWithGroup(): Promise<string> {
  const { file } = await newFolder();
  await withEngine(file, (engine) => engine["group.create"]({ body: { name: "Friends" } }));
  return file;
}

/** With the database locked for writing, reads still succeed. */
async function whileLockedForWriting(engine: EngineProcess): Promise<void> {
  const file = await databaseWithGroup();
  await whileLocked(file, "BEGIN IMMEDIATE; UPDATE contact_group SET name = 'Kin'", async () => {
    const { refused, results } = await engine.run({ file, calls: [list, create, list] });
    expect(refused).toBeUndefined();
    expect(results).toMatchObject([{ status: 200 }, locked(file), { status: 200 }]);
    expect(results[2]).toEqual(results[0]);
    expect((results[0] as Reply).text).toContain('"name":"Friends"');
  });
}

/** With the database locked exclusively, it cannot be opened. */
async function whileLockedExclusively(engine: EngineProcess): Promise<void> {
  const file = await databaseWithGroup();
  const hold = "PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; UPDATE clock SET newest = 7";
  await whileLocked(file, hold, async () => {
    expect(await engine.run({ file, calls: [list] })).toEqual({
      refused: locked(file),
      results: [],
    });
  });
}

/** While another process is creating the database and does not finish, it cannot be opened. */
async function whileBeingCreated(engine: EngineProcess): Promise<void> {
  const { file } = await newFolder();
  await whileLocked(file, "BEGIN EXCLUSIVE; CREATE TABLE clock (newest)", async () => {
    expect(await engine.run({ file, calls: [list] })).toEqual({
      refused: locked(file),
      results: [],
    });
  });
  expect(statSync(file).size).toBe(0);
}

/** A short lock is waited for. */
async function untilUnlocked(engine: EngineProcess): Promise<void> {
  const file = await databaseWithGroup();
  const database = connect(file);
  database.exec("BEGIN IMMEDIATE; UPDATE contact_group SET name = 'Kin'");
  setTimeout(() => {
    database.exec("COMMIT");
    database.close();
  }, 1500);
  const { results } = await engine.run({ file, calls: [create, list] });
  expect(results).toMatchObject([
    { status: 201, envelope: { data: { id: 2 } } },
    { status: 200, envelope: { data: { data: [{ name: "Friends" }, { name: "Kin" }] } } },
  ]);
}

// One test, because each case waits for the engine's timeout of ten seconds.
test("waits for a database that another process has locked, up to the timeout", async () => {
  const { folder } = await newFolder();
  const [first, second, third, fourth] = await startProcesses(folder, { count: 4 });
  const cases = [
    whileLockedForWriting(first!),
    whileLockedExclusively(second!),
    whileBeingCreated(third!),
    untilUnlocked(fourth!),
  ];
  const failures = (await Promise.allSettled(cases)).filter(({ status }) => status === "rejected");
  expect(failures).toEqual([]);
}, 60_000);
