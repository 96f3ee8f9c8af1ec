import { spawnSync } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Reply } from "../../../src/contract/service.ts";
import type { Job, Outcome, Thrown } from "../support/engine-process.ts";
import { hashOf, newFolder, withDatabase, withEngine } from "../support/engine-fixtures.ts";
import { startProcesses } from "../support/start-engine-processes.ts";

const list: Job["calls"][number] = ["group.list", { query: { perPage: 1000 } }];
const large = { name: "Friends", birthday_message: "😀".repeat(1600) };
/** More than there is room for. */
const creates = Array.from({ length: 200 }, (): Job["calls"][number] => [
  "group.create",
  { body: large },
]);

const noRoom = (file: string) => ({
  name: "SendctlError",
  kind: "database",
  message: expect.stringContaining(`the database ${file} cannot `),
  hint: expect.any(String),
  database: expect.stringMatching(/^(?:full|io)$/),
});

/** How many groups there are, from an answer to `list`. */
const totalOf = (answer: unknown): number =>
  ((answer as Reply).envelope!.data as { total: number }).total;

/** Some groups were made, the rest was told to be impossible, and the list has those that were made. */
function expectAllToldApart({ refused, answers }: Outcome, file: string, already: number): number {
  expect(refused).toBeUndefined();
  const made = answers.slice(0, -1).filter((answer) => "status" in answer);
  const failed = answers.slice(0, -1).filter((answer): answer is Thrown => "message" in answer);
  expect(made.length).toBeGreaterThan(0);
  expect(failed.length).toBeGreaterThan(0);
  for (const failure of failed) expect(failure).toEqual(noRoom(file));
  const total = totalOf(answers.at(-1));
  expect(total).toBe(already + made.length);
  return total;
}

/** A database with a group in it. */
async function ourDatabase() {
  const { file } = await newFolder();
  await withEngine(file, (engine) => engine["group.create"]({ body: { name: "Friends" } }));
  return file;
}

test("files may not grow on: what was acknowledged is there, the rest was told", async () => {
  const { folder } = await newFolder();
  const file = await ourDatabase();
  const [one] = await startProcesses(folder, { before: 'ulimit -f 800; exec "$@"' });
  const outcome = await one!.ask({ file, calls: [...creates, list] });
  const total = expectAllToldApart(outcome, file, 1);
  const checked = withDatabase(file, (database) => database.pragma("integrity_check"));
  expect(checked).toEqual([{ integrity_check: "ok" }]);
  await withEngine(file, async (engine) => {
    expect(totalOf(await engine["group.list"]({ query: {} }))).toBe(total);
    expect(await engine["group.create"]({ body: large })).toMatchObject({ status: 201 });
  });
});

test("no room for anything: refused, and the file is as it was", async () => {
  const { folder } = await newFolder();
  const file = await ourDatabase();
  const before = await hashOf(file);
  const [one] = await startProcesses(folder, { before: 'ulimit -f 0; exec "$@"' });
  const refused = await one!.ask({ file, calls: [list] });
  expect(refused).toEqual({ refused: noRoom(file), answers: [] });
  expect(await hashOf(file)).toBe(before);
});

test("no room for a new database: refused, and made as soon as there is", async () => {
  const { folder } = await newFolder();
  const file = join(folder, "new", "sendctl.db");
  // Room for a part of it.
  const [one] = await startProcesses(folder, { before: 'ulimit -f 16; exec "$@"' });
  const refused = await one!.ask({ file, calls: [list] });
  expect(refused).toEqual({ refused: noRoom(file), answers: [] });
  await withEngine(file, async (engine) => {
    expect(totalOf(await engine["group.list"]({ query: {} }))).toBe(0);
  });
});

// A disk of its own, which Linux lets anyone make where user namespaces are allowed.
const newDisk = "unshare --user --map-root-user --mount";
const canMount =
  spawnSync("/bin/sh", ["-c", `${newDisk} mount -t tmpfs none ${tmpdir()}`]).status === 0;

test.skipIf(!canMount)("a full disk (skipped where no tmpfs can be mounted)", async () => {
  const { folder } = await newFolder();
  const disk = join(folder, "disk");
  await mkdir(disk);
  const mount = `mount -t tmpfs -o size=600k none '${disk}'`;
  const [one] = await startProcesses(folder, {
    before: `exec ${newDisk} /bin/sh -c "${mount}; exec \\"\\$@\\"" sh "$@"`,
  });
  const file = join(disk, "sendctl.db");
  const total = expectAllToldApart(await one!.ask({ file, calls: [...creates, list] }), file, 0);
  // Nothing is gone after it was closed, nor can it be: there is still no room.
  const { answers } = await one!.ask({
    file,
    calls: [list, ["group.delete", { path: { id: "1" } }]],
  });
  expect(totalOf(answers[0])).toBe(total);
});
