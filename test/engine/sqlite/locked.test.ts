import { existsSync, statSync } from "node:fs";
import { expect, test } from "vitest";
import type { Reply } from "../../../src/contract/service.ts";
import type { Job } from "../support/engine-process.ts";
import { hashOf, newFolder, withEngine } from "../support/engine-fixtures.ts";
import { startProcesses, type EngineProcess } from "../support/start-engine-processes.ts";
import { connect } from "../../../src/engine/sqlite/connection/connect.ts";

const list: Job["calls"][number] = ["group.list", { query: {} }];
const create: Job["calls"][number] = ["group.create", { body: { name: "Friends" } }];

const locked = (file: string) => ({
  name: "SendctlError",
  kind: "database",
  message: `the database ${file} is locked by another process`,
  hint: "try again when the other process is done",
  database: "locked",
});

/**
 * Does something while this process has the file locked, and nothing of it is written.
 *
 * The file may not be read in between by other means than SQLite: a process that opens and closes a file
 * loses all its locks on it.
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

/** A database with a group in it. */
async function ourDatabase(): Promise<string> {
  const { file } = await newFolder();
  await withEngine(file, (engine) => engine["group.create"]({ body: { name: "Friends" } }));
  return file;
}

/** Locked for writing: reading goes on. */
async function whileOneWrites(one: EngineProcess): Promise<void> {
  const file = await ourDatabase();
  await whileLocked(file, "BEGIN IMMEDIATE; UPDATE contact_group SET name = 'Kin'", async () => {
    const { refused, answers } = await one.ask({ file, calls: [list, create, list] });
    expect(refused).toBeUndefined();
    expect(answers).toMatchObject([{ status: 200 }, locked(file), { status: 200 }]);
    expect(answers[2]).toEqual(answers[0]);
    expect((answers[0] as Reply).text).toContain('"name":"Friends"');
  });
}

/** Locked for everything. */
async function whileOneHoldsAll(one: EngineProcess): Promise<void> {
  const file = await ourDatabase();
  const hold = "PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; UPDATE clock SET newest = 7";
  await whileLocked(file, hold, async () => {
    expect(await one.ask({ file, calls: [list] })).toEqual({ refused: locked(file), answers: [] });
  });
}

/** Another is about to make the database, and does not come to an end. */
async function whileOneMigrates(one: EngineProcess): Promise<void> {
  const { file } = await newFolder();
  await whileLocked(file, "BEGIN EXCLUSIVE; CREATE TABLE clock (newest)", async () => {
    expect(await one.ask({ file, calls: [list] })).toEqual({ refused: locked(file), answers: [] });
  });
  expect(statSync(file).size).toBe(0);
}

/** A lock that does not last is waited for. */
async function untilOneHasWritten(one: EngineProcess): Promise<void> {
  const file = await ourDatabase();
  const database = connect(file);
  database.exec("BEGIN IMMEDIATE; UPDATE contact_group SET name = 'Kin'");
  setTimeout(() => {
    database.exec("COMMIT");
    database.close();
  }, 1500);
  const { answers } = await one.ask({ file, calls: [create, list] });
  expect(answers).toMatchObject([
    { status: 201, envelope: { data: { id: 2 } } },
    { status: 200, envelope: { data: { data: [{ name: "Friends" }, { name: "Kin" }] } } },
  ]);
}

// One test, because each of these waits as long as the engine does: ten seconds.
test("a database that another process has locked", async () => {
  const { folder } = await newFolder();
  const [first, second, third, fourth] = await startProcesses(folder, { count: 4 });
  const ended = [
    whileOneWrites(first!),
    whileOneHoldsAll(second!),
    whileOneMigrates(third!),
    untilOneHasWritten(fourth!),
  ];
  const failures = (await Promise.allSettled(ended)).filter(({ status }) => status === "rejected");
  expect(failures).toEqual([]);
}, 60_000);
