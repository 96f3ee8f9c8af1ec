import { expect, onTestFinished, test } from "vitest";
import { createBatches, createQueries, type Queries } from "../../../src/engine/sqlite/queries.ts";
import { openDatabase, openMemory } from "../../../src/engine/sqlite/database-file.ts";
import { newFolder, someTime, withDatabase } from "../support/engine-fixtures.ts";

async function newQueries() {
  const { file } = await newFolder();
  const database = openDatabase(file);
  const queries = createQueries(database, file, () => someTime);
  onTestFinished(queries.close);
  const names = (): unknown[] =>
    withDatabase(file, (reader) =>
      reader.prepare("SELECT name FROM integration WHERE id > 1 ORDER BY id").pluck().all(),
    );
  return { database, names, ...queries };
}

const insert = ({ changes }: Pick<Queries, "changes">, name: string): number =>
  changes("INSERT INTO integration (name, created_at) VALUES (?, 0)", name);

const outcomes = async (...all: Promise<unknown>[]): Promise<string[]> =>
  (await Promise.allSettled(all)).map(({ status }) => status);

test("a failing write undoes only itself, not the other writes of its transaction", async () => {
  const { names, write, ...queries } = await newQueries();
  const fail = (name: string) =>
    write(() => {
      insert(queries, name);
      throw new Error("late");
    });
  expect(
    await outcomes(
      fail("first"),
      write(() => insert(queries, "one")),
      fail("middle"),
      write(() => insert(queries, "two")),
      fail("last"),
    ),
  ).toEqual(["rejected", "fulfilled", "rejected", "fulfilled", "rejected"]);
  expect(names()).toEqual(["one", "two"]);
});

test("a write that makes SQLite roll back the transaction fails the writes before it, too", async () => {
  const { database, names, write, ...queries } = await newQueries();
  const pages = database.pragma("page_count", { simple: true }) as number;
  database.pragma(`max_page_count = ${pages}`);
  const written = outcomes(
    write(() => insert(queries, "before")),
    write(() => insert(queries, "x".repeat(100_000))),
    write(() => insert(queries, "after")),
  );
  expect(await written).toEqual(["rejected", "rejected", "rejected"]);
  expect(names()).toEqual([]);
  expect(await outcomes(write(() => insert(queries, "next")))).toEqual(["fulfilled"]);
  expect(names()).toEqual(["next"]);
});

test("a failing commit fails every write of the transaction, and none is repeated", async () => {
  const { database, names, write, changes, ...queries } = await newQueries();
  let begun = 0;
  const written = outcomes(
    write(() => {
      begun += 1;
      insert({ changes }, "one");
    }),
    write(() => {
      changes("PRAGMA defer_foreign_keys = ON");
      changes(
        `INSERT INTO secret_key (integration_id, hash, ending, created_at) VALUES (99, x'00', '', 0)`,
      );
    }),
  );
  expect(await written).toEqual(["rejected", "rejected"]);
  expect(begun).toBe(1);
  expect(database.inTransaction).toBe(false);
  expect(names()).toEqual([]);
  expect(await outcomes(queries.read(() => 1))).toEqual(["fulfilled"]);
});

test("a failing read does not fail the other reads of its batch", async () => {
  const { read, row } = await newQueries();
  const results = await Promise.allSettled([
    read(() => row<{ one: number }>("SELECT 1 AS one")),
    read(() => row("SELECT nothing FROM nowhere")),
    read(() => row<{ one: number }>("SELECT 2 AS one")),
  ]);
  expect(results).toMatchObject([
    { status: "fulfilled", value: { one: 1 } },
    { status: "rejected", reason: { kind: "database", cause: { code: "SQLITE_ERROR" } } },
    { status: "fulfilled", value: { one: 2 } },
  ]);
});

/** Creates the batches of a database in memory, and what happened in them, in order. */
function newBatches(check: (isCommitted: boolean) => void = () => {}) {
  const database = openMemory();
  onTestFinished(() => void database.close());
  const events: string[] = [];
  const batches = createBatches(database, {
    begin: () => events.push("begin"),
    finish: () => events.push("finish"),
    check,
    convert: (error) => error,
  });
  const insert = (name: string) =>
    database.prepare("INSERT INTO integration (name, created_at) VALUES (?, 0)").run(name);
  const names = () =>
    database.prepare("SELECT name FROM integration WHERE id > 1 ORDER BY id").pluck().all();
  return { ...batches, events, insert, names };
}

test("the writes of one turn share a transaction", async () => {
  const { write, events, insert, names } = newBatches();
  await Promise.all(["one", "two", "three"].map((name) => write(() => insert(name))));
  expect(names()).toEqual(["one", "two", "three"]);
  expect(events).toEqual(["begin", "finish"]);
});

test("a write that is alone and fails is not run again", async () => {
  const { write, insert, names } = newBatches();
  let runs = 0;
  const written = write(() => {
    runs += 1;
    insert("one");
    throw new Error("late");
  });
  await expect(written).rejects.toThrow("late");
  expect(runs).toBe(1);
  expect(names()).toEqual([]);
});

test("a check that fails before a batch rejects its writes, and none is run", async () => {
  let isReplaced = true;
  const { write, insert, names } = newBatches((isCommitted) => {
    if (isReplaced && !isCommitted) throw new Error("replaced");
  });
  expect(await outcomes(...["one", "two"].map((name) => write(() => insert(name))))).toEqual([
    "rejected",
    "rejected",
  ]);
  isReplaced = false;
  await write(() => insert("three"));
  expect(names()).toEqual(["three"]);
});

test("a check that fails after the commit acknowledges no write of the batch", async () => {
  const { write, insert } = newBatches((isCommitted) => {
    if (isCommitted) throw new Error("replaced");
  });
  expect(await outcomes(...["one", "two"].map((name) => write(() => insert(name))))).toEqual([
    "rejected",
    "rejected",
  ]);
});
