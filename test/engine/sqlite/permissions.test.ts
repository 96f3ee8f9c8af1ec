import { chmod, chown, mkdir, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { hashOf, newFolder, withEngine } from "../support/engine-fixtures.ts";
import { startProcesses } from "../support/start-engine-processes.ts";

/** Root may do anything, so where the tests run as root these run as nobody. */
const uid = process.getuid?.() === 0 ? 65_534 : undefined;

const noAccess = (file: string) => ({
  kind: "database",
  database: "access",
  message: expect.stringContaining(`the database ${file} `) as unknown,
  hint: expect.stringMatching(/permissions|writable/) as unknown,
});

const makeOurs = (file: string): Promise<unknown> =>
  withEngine(file, (engine) => engine["group.create"]({ body: { name: "Friends" } }));

/** What is done to a file, in a folder that belongs to the user who is refused. */
const cases: readonly (readonly [string, (file: string) => Promise<void>])[] = [
  ["a file marked read-only", (file) => chmod(file, 0o444)],
  ["a file that may not be read", (file) => chmod(file, 0o200)],
  ["a file that may not be written", (file) => chmod(file, 0o466)],
  ["a folder that may not be written", (file) => chmod(dirname(file), 0o555)],
  ["a folder that may not be entered", (file) => chmod(dirname(file), 0o600)],
];

for (const [what, make] of cases) {
  test(`refused to an ordinary user, and left alone: ${what}`, async () => {
    const { folder } = await newFolder();
    await chmod(folder, 0o755);
    const file = join(folder, "own", "sendctl.db");
    await makeOurs(file);
    if (uid !== undefined) {
      await chown(file, uid, uid);
      await chown(dirname(file), uid, uid);
    }
    const before = await hashOf(file);
    await make(file);
    const [one] = await startProcesses(folder, uid === undefined ? {} : { uid });
    const { refused } = await one!.ask({ file, calls: [["group.list", { query: {} }]] });
    await chmod(dirname(file), 0o700);
    await chmod(file, 0o600);
    expect(refused).toMatchObject(noAccess(file));
    expect(await hashOf(file)).toBe(before);
    expect(await readdir(dirname(file))).toEqual(["sendctl.db"]);
  });
}

test("refused to an ordinary user: a new database where nothing may be made", async () => {
  const { folder } = await newFolder();
  await chmod(folder, 0o755);
  await mkdir(join(folder, "closed"), { mode: 0o555 });
  const [one] = await startProcesses(folder, uid === undefined ? {} : { uid });
  for (const parts of [["sendctl.db"], ["deep", "sendctl.db"]]) {
    const file = join(folder, "closed", ...parts);
    const { refused } = await one!.ask({ file, calls: [] });
    expect(refused).toMatchObject(noAccess(file));
  }
  expect(await readdir(join(folder, "closed"))).toEqual([]);
});
