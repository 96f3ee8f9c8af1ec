import { readdir, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { Page } from "../../src/contract/records.ts";
import type { Reply } from "../../src/contract/service.ts";
import { createEngine } from "../../src/engine/engine.ts";
import { openDatabase } from "../../src/engine/sqlite/open.ts";
import { defaultIntegration } from "../../src/engine/store.ts";
import {
  addIntegration,
  call,
  newEngine,
  newFolder,
  thrownBy,
  withDatabase,
  withEngine,
} from "./fixture.ts";

const path = { id: "1" };
const pageIn = (reply: Reply) => reply.envelope!.data as Page<Record<string, unknown>>;

async function modeOf(path: string): Promise<string> {
  return ((await stat(path)).mode & 0o777).toString(8);
}

for (const umask of [0o000, 0o022, 0o077]) {
  test(`a new database is its owner's only, under umask ${umask.toString(8)}`, async () => {
    const { folder } = await newFolder();
    const file = join(folder, "made", "on the way", "sendctl.db");
    const before = process.umask(umask);
    try {
      await withEngine(file, async (engine) => {
        // With what SQLite puts beside it while it is open.
        await engine["group.create"]({ body: { name: "Friends" } });
        const names = await readdir(dirname(file));
        expect(names.toSorted()).toEqual(["sendctl.db", "sendctl.db-shm", "sendctl.db-wal"]);
        for (const name of names) expect(await modeOf(join(dirname(file), name))).toBe("600");
      });
    } finally {
      process.umask(before);
    }
    expect(await modeOf(dirname(file))).toBe("700");
    expect(await modeOf(dirname(dirname(file)))).toBe("700");
  });
}

test("the database is the very file that was named, whatever the name", async () => {
  const { folder } = await newFolder();
  const names = ["a b.db", " a.db", "ü😀.db", "file:a.db?mode=ro", ":memory:", "%20#.db"];
  for (const name of names) {
    await withEngine(join(folder, name), (engine) =>
      engine["group.create"]({ body: { name: "Friends" } }),
    );
  }
  expect((await readdir(folder)).toSorted()).toEqual(names.toSorted());
});

test("a name that ends in white space is never taken for another", async () => {
  const { folder } = await newFolder();
  // To refuse it would be right as well.
  await thrownBy(() =>
    withEngine(join(folder, "a.db "), (engine) => engine["group.list"]({ query: {} })),
  );
  expect(await readdir(folder)).not.toContain("a.db");
});

test("what was there before keeps its mode, and an empty file becomes a database", async () => {
  const { file } = await newFolder();
  await writeFile(file, "", { mode: 0o640 });
  await withEngine(file, (engine) => engine["group.create"]({ body: { name: "Friends" } }));
  expect(await modeOf(file)).toBe("640");
});

test("a connection is durable, and minds the references", async () => {
  const { file } = await newFolder();
  for (const time of ["made", "opened again"]) {
    const database = openDatabase(file);
    const settings = ["journal_mode", "synchronous", "foreign_keys"].map((name) =>
      database.pragma(name, { simple: true }),
    );
    database.close();
    // 2 is FULL: a commit has reached the disk when it returns.
    expect([time, ...settings]).toEqual([time, "wal", 2, 1]);
  }
});

test("contacts are counted, and go with their group", async () => {
  const { file, engine } = await newEngine();
  for (const name of ["Friends", "Kin"]) await engine["group.create"]({ body: { name } });
  const counts = async (): Promise<unknown[]> =>
    pageIn(await engine["group.list"]({ query: {} })).data.map((one) => one["contacts_count"]);
  const contacts = (): unknown =>
    withDatabase(file, (database) =>
      database.prepare("SELECT group_id FROM contact ORDER BY id").pluck().all(),
    );
  withDatabase(file, (database) => {
    const insert = database.prepare("INSERT INTO contact (group_id, phone) VALUES (?, ?)");
    for (const phone of ["+441", "+442", "+443"]) insert.run(1, phone);
    insert.run(2, "+441");
    expect(() => insert.run(1, "+441")).toThrow(/UNIQUE/);
    expect(() => insert.run(3, "+441")).toThrow(/FOREIGN KEY/);
  });
  expect(await counts()).toEqual([1, 3]);
  withDatabase(file, (database) => database.exec("DELETE FROM contact WHERE phone = '+442'"));
  expect(await counts()).toEqual([1, 2]);
  // An update changes nothing of it.
  await engine["group.update"]({ path, body: { name: "Friends of old" } });
  expect(await counts()).toEqual([1, 2]);
  expect(await engine["group.delete"]({ path })).toMatchObject({ status: 200 });
  expect(await counts()).toEqual([1]);
  expect(contacts()).toEqual([2]);
});

test("deleting a sender ID takes it from the groups that use it, and from no other", async () => {
  const { file, engine } = await newEngine();
  for (const name of ["ACME", "OTHER"]) {
    await engine["sender-id.create"]({ body: { name, purpose: "Alerts" } });
  }
  for (const sender_id of ["ACME", "OTHER", "ACME"]) {
    const { envelope } = await engine["group.create"]({ body: { name: "Friends" } });
    const id = String((envelope!.data as { id: number }).id);
    await engine["group.update"]({ path: { id }, body: { sender_id } });
  }
  await engine["sender-id.delete"]({ path: { name: "ACME" } });
  const read = "SELECT sender_id FROM contact_group ORDER BY id";
  const used = withDatabase(file, (database) => database.prepare(read).pluck().all());
  expect(used).toEqual([null, 2, null]);
  expect(pageIn(await engine["group.list"]({ query: {} })).total).toBe(3);
});

for (const [list, table, columns, values] of [
  ["sender-id.list", "sender_id", "name, purpose, status", "n, n, 'PENDING'"],
  ["group.list", "contact_group", "uuid, name, send_birthday", "n, n, 0"],
] as const) {
  test(`every page of 2,000 records is right, from whichever end it is read: ${list}`, async () => {
    const { file, store } = await newEngine();
    const other = addIntegration(file, "other");
    // Every third is another integration's, so that ids have gaps within one.
    withDatabase(file, (database) =>
      database.exec(`
        WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 3000)
        INSERT INTO ${table} (integration_id, created_at, ${columns})
        SELECT iif(n % 3, ${defaultIntegration}, ${other}), n, ${values} FROM number`),
    );
    const engine = createEngine(store, defaultIntegration);
    const ids = Array.from({ length: 3000 }, (_, index) => 3000 - index).filter((id) => id % 3);
    for (const perPage of [1000, 999, 667, 64, 15, 7]) {
      const last = Math.ceil(2000 / perPage);
      for (let page = 1; page <= last + 1; page += 1) {
        const { data, ...rest } = pageIn(await call(engine, list, { query: { perPage, page } }));
        const expected = ids.slice((page - 1) * perPage, page * perPage);
        expect(data.map((one) => one["id"])).toEqual(expected);
        const total = 2000;
        expect(rest).toEqual({ current_page: page, last_page: last, per_page: perPage, total });
      }
    }
  });
}
