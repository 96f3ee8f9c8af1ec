import { join } from "node:path";
import { expect, test } from "vitest";
import { connect } from "../../../src/engine/sqlite/database-file.ts";
import { databaseError } from "../../../src/engine/sqlite/database-error.ts";
import type { Reply } from "../../../src/contract/service.ts";
import type { Job, Outcome, Thrown } from "../support/engine-process.ts";
import { hashOf, newFolder, withDatabase, withEngine } from "../support/engine-fixtures.ts";
import { startProcesses } from "../support/start-engine-processes.ts";

const list: Job["calls"][number] = ["group.list", { query: { perPage: 1000 } }];
const large = { name: "Friends", birthday_message: "😀".repeat(1600) };
/** More groups than fit on the disk. */
const creates = Array.from({ length: 200 }, (): Job["calls"][number] => [
  "group.create",
  { body: large },
]);

const noRoom = (file: string) => ({
  name: "SendctlError",
  kind: "database",
  message: expect.stringContaining(`the database ${file} cannot `),
  hint: expect.any(String),
  details: { database: expect.stringMatching(/^(?:full|io)$/) as unknown },
});

/** Returns the number of groups from a response to `list`. */
const totalOf = (reply: unknown): number =>
  ((reply as Reply).envelope!.data as { total: number }).total;

/**
 * Expects that some creates succeeded, that the rest reported the lack of space, and that the list
 * contains exactly the created groups.
 */
function expectNoSilentLoss({ refused, results }: Outcome, file: string, existing: number): number {
  expect(refused).toBeUndefined();
  const created = results.slice(0, -1).filter((result) => "status" in result);
  const failed = results.slice(0, -1).filter((result): result is Thrown => "message" in result);
  expect(created.length).toBeGreaterThan(0);
  expect(failed.length).toBeGreaterThan(0);
  for (const failure of failed) expect(failure).toEqual(noRoom(file));
  const total = totalOf(results.at(-1));
  expect(total).toBe(existing + created.length);
  return total;
}

/** Creates a database with one group. */
async function databaseWithGroup() {
  const { file } = await newFolder();
  await withEngine(file, (engine) => engine["group.create"]({ body: { name: "Friends" } }));
  return file;
}

test("a file size limit: acknowledged writes are kept and the rest is reported", async () => {
  const { folder } = await newFolder();
  const file = await databaseWithGroup();
  const [one] = await startProcesses(folder, { before: 'ulimit -f 800; exec "$@"' });
  const outcome = await one!.run({ file, calls: [...creates, list] });
  const total = expectNoSilentLoss(outcome, file, 1);
  const checked = withDatabase(file, (database) => database.pragma("integrity_check"));
  expect(checked).toEqual([{ integrity_check: "ok" }]);
  await withEngine(file, async (engine) => {
    expect(totalOf(await engine["group.list"]({ query: {} }))).toBe(total);
    expect(await engine["group.create"]({ body: large })).toMatchObject({ status: 201 });
  });
});

test("no free space at all: rejected, and the file is unchanged", async () => {
  const { folder } = await newFolder();
  const file = await databaseWithGroup();
  const before = await hashOf(file);
  const [one] = await startProcesses(folder, { before: 'ulimit -f 0; exec "$@"' });
  const refused = await one!.run({ file, calls: [list] });
  expect(refused).toEqual({ refused: noRoom(file), results: [] });
  expect(await hashOf(file)).toBe(before);
});

test("no space for a new database: rejected, and created once there is space", async () => {
  const { folder } = await newFolder();
  const file = join(folder, "new", "sendctl.db");
  // Enough space for a part of it.
  const [one] = await startProcesses(folder, { before: 'ulimit -f 16; exec "$@"' });
  const refused = await one!.run({ file, calls: [list] });
  expect(refused).toEqual({ refused: noRoom(file), results: [] });
  await withEngine(file, async (engine) => {
    expect(totalOf(await engine["group.list"]({ query: {} }))).toBe(0);
  });
});

test("a full disk is reported before the database has tables", () => {
  const database = connect(":memory:");
  const full = Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" });
  expect(databaseError(full, "new.db", database)).toMatchObject({ details: { database: "full" } });
  database.close();
});
