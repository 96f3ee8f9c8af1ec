import { existsSync } from "node:fs";
import { copyFile, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createEmbedded, type Embedded } from "../../../src/engine/embedded.ts";
import { openSqliteStore } from "../../../src/engine/sqlite/store.ts";
import { type Store } from "../../../src/engine/store/store.ts";
import { defaultIntegration } from "../../../src/engine/store/stored.ts";
import { newFolder, someTime, thrownBy, withEngine } from "../support/engine-fixtures.ts";

const replaced = (file: string) => ({
  kind: "database",
  details: { database: "replaced", file },
});

interface Opened {
  readonly file: string;
  readonly store: Store;
  readonly engine: Embedded;
  readonly create: () => Promise<unknown>;
}

async function opened(): Promise<Opened> {
  const { file } = await newFolder();
  const store = openSqliteStore(file, () => someTime);
  const engine = createEmbedded(store, () => someTime);
  onTestFinished(() => engine.close());
  const service = await engine.service(undefined);
  const create = (): Promise<unknown> => service["group.create"]({ body: { name: "Friends" } });
  await create();
  return { file, store, engine, create };
}

async function replaceDatabase(file: string): Promise<void> {
  const other = `${file}.other`;
  await withEngine(other, (engine) => engine["group.create"]({ body: { name: "Others" } }));
  await rename(other, file);
}

const losses: readonly (readonly [what: string, lose: (file: string) => Promise<unknown>])[] = [
  ["the file is removed", (file) => rm(file)],
  ["the file is moved away", (file) => rename(file, `${file}.old`)],
  ["another database takes its name", replaceDatabase],
  [
    "a copy takes its name",
    (file) => copyFile(file, `${file}.copy`).then(() => rename(`${file}.copy`, file)),
  ],
  ["its log is removed", (file) => rm(`${file}-wal`)],
  ["its folder is moved away", (file) => rename(dirname(file), `${dirname(file)}-old`)],
];

describe.each(losses)("once %s", (_, lose) => {
  test("no write is acknowledged, and the health check fails", async () => {
    const { file, store, engine, create } = await opened();
    onTestFinished(() => rm(`${dirname(file)}-old`, { recursive: true, force: true }));
    await lose(file);
    const names = existsSync(dirname(file)) ? await readdir(dirname(file)) : [];
    const { ino } = (await stat(file).catch(() => undefined)) ?? {};
    expect(await thrownBy(create)).toMatchObject(replaced(file));
    expect(await thrownBy(engine.checkHealth)).toMatchObject(replaced(file));
    expect(await thrownBy(() => importOne(store))).toMatchObject(replaced(file));
    // No file is created under the lost name.
    expect(existsSync(dirname(file)) ? await readdir(dirname(file)) : []).toEqual(names);
    expect((await stat(file).catch(() => undefined))?.ino).toBe(ino);
  });
});

async function importOne(store: Store, before: () => Promise<unknown> = async () => {}) {
  async function* contacts() {
    await before();
    yield [{ phone: "+447911123456", first_name: null, birth_date: null }];
  }
  const given = ["phone"] as const;
  return store.importContacts(defaultIntegration, { id: 1 }, contacts(), given, {});
}

test("an import is not acknowledged if its database is replaced meanwhile", async () => {
  const { file, store } = await opened();
  expect(await thrownBy(() => importOne(store, () => replaceDatabase(file)))).toMatchObject({
    kind: "outcome_unknown",
  });
});

test("a write whose log was removed is rejected before it runs", async () => {
  const { file, engine, create } = await opened();
  await rm(`${file}-wal`);
  expect(await thrownBy(create)).toMatchObject({ details: { database: "replaced" } });
  const service = await engine.service(undefined);
  expect((await service["group.list"]({ query: {} })).envelope!.data).toMatchObject({ total: 1 });
});

test("a new database leaves the log of one that was moved as it is", async () => {
  const { file, engine } = await opened();
  const left = await readFile(`${file}-wal`);
  await engine.close();
  for (const remains of ["missing", "empty"] as const) {
    await (remains === "missing" ? rename(file, `${file}.old`) : writeFile(file, ""));
    await writeFile(`${file}-wal`, left);
    const failure = await thrownBy(async () => openSqliteStore(file, () => someTime));
    expect(failure).toMatchObject({ kind: "database", details: { database: "missing", file } });
    expect((failure as Error).message).toContain(`its write-ahead log ${file}-wal is not`);
    expect(existsSync(file)).toBe(remains === "empty");
    expect(await readFile(`${file}-wal`)).toEqual(left);
  }
});

test("a write to a file that was moved away is rejected before it runs", async () => {
  const { file, engine, create } = await opened();
  const moved = join(dirname(file), "moved.db");
  await rename(file, moved);
  await thrownBy(create);
  const service = await engine.service(undefined);
  expect((await service["group.list"]({ query: {} })).envelope!.data).toMatchObject({ total: 1 });
});

test("a file that is moved back accepts writes again", async () => {
  const { file, engine, create } = await opened();
  await rename(file, `${file}.old`);
  await thrownBy(create);
  await rename(`${file}.old`, file);
  expect(await create()).toMatchObject({ status: 201 });
  await engine.checkHealth();
});
