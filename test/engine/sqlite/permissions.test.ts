import { chmod, chown, mkdir, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { hashOf, newFolder, withEngine } from "../support/engine-fixtures.ts";
import { startProcesses } from "../support/start-engine-processes.ts";

/** Root ignores permissions, so if the tests run as root these run as the user nobody. */
const uid = process.getuid?.() === 0 ? 65_534 : undefined;

const noAccess = (file: string) => ({
  kind: "database",
  details: { database: "access" },
  message: expect.stringContaining(`the database ${file} `) as unknown,
  hint: expect.stringMatching(/permissions|writable/) as unknown,
});

const createDatabase = (file: string): Promise<unknown> =>
  withEngine(file, (engine) => engine["group.create"]({ body: { name: "Friends" } }));

/** Permission changes to a file in a folder that belongs to the refused user. */
const cases: readonly (readonly [string, (file: string) => Promise<void>])[] = [
  ["an unreadable file", (file) => chmod(file, 0o200)],
  ["an unwritable folder", (file) => chmod(dirname(file), 0o555)],
  ["a folder without execute permission", (file) => chmod(dirname(file), 0o600)],
];

for (const [what, restrict] of cases) {
  test(`rejects ${what} for an ordinary user, and leaves it unchanged`, async () => {
    const { folder } = await newFolder();
    await chmod(folder, 0o755);
    const file = join(folder, "own", "sendctl.db");
    await createDatabase(file);
    if (uid !== undefined) {
      await chown(file, uid, uid);
      await chown(dirname(file), uid, uid);
    }
    const before = await hashOf(file);
    await restrict(file);
    const [one] = await startProcesses(folder, uid === undefined ? {} : { uid });
    const { refused } = await one!.run({ file, calls: [["group.list", { query: {} }]] });
    await chmod(dirname(file), 0o700);
    await chmod(file, 0o600);
    expect(refused).toMatchObject(noAccess(file));
    expect(await hashOf(file)).toBe(before);
  });
}

test("rejects a new database in an unwritable folder for an ordinary user", async () => {
  const { folder } = await newFolder();
  await chmod(folder, 0o755);
  await mkdir(join(folder, "closed"), { mode: 0o555 });
  const [one] = await startProcesses(folder, uid === undefined ? {} : { uid });
  for (const parts of [["sendctl.db"], ["deep", "sendctl.db"]]) {
    const file = join(folder, "closed", ...parts);
    const { refused } = await one!.run({ file, calls: [] });
    expect(refused).toMatchObject(noAccess(file));
  }
  expect(await readdir(join(folder, "closed"))).toEqual([]);
});

for (const mode of [0o444, 0o466]) {
  test(`reads a file of mode ${mode.toString(8)} for an ordinary user, and refuses writes`, async () => {
    const { folder } = await newFolder();
    await chmod(folder, 0o755);
    const file = join(folder, "own", "sendctl.db");
    await createDatabase(file);
    if (uid !== undefined) {
      await chown(file, uid, uid);
      await chown(dirname(file), uid, uid);
    }
    const before = await hashOf(file);
    await chmod(file, mode);
    const [one] = await startProcesses(folder, uid === undefined ? {} : { uid });
    const { results } = await one!.run({
      file,
      calls: [
        ["group.list", { query: {} }],
        ["group.create", { body: { name: "G" } }],
      ],
    });
    expect(results).toMatchObject([
      { status: 200 },
      { kind: "database", details: { database: "access" } },
    ]);
    expect(await hashOf(file)).toBe(before);
  });
}
