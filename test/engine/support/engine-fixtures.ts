import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type Sqlite from "better-sqlite3";
import { expect, onTestFinished } from "vitest";
import type { OperationName } from "../../../src/contract/operations.ts";
import type { Reply, Service } from "../../../src/contract/service.ts";
import { createEngine } from "../../../src/engine/engine.ts";
import { openSqliteStore } from "../../../src/engine/sqlite/store.ts";
import { defaultIntegration, type Store } from "../../../src/engine/store.ts";
import { SendctlError, type DatabaseProblem } from "../../../src/contract/error.ts";
import { makeDatabase, type TestDatabase } from "./test-database.ts";
import { connect } from "../../../src/engine/sqlite/connection/connect.ts";
import { quickFolder } from "../../support/quick-folder.ts";

/** Microseconds since 1970 of 2026-02-03T04:05:06.789012Z: a clock that stands still. */
export const someTime = Date.UTC(2026, 1, 3, 4, 5, 6, 789) * 1000 + 12;
export const someTimeText = "2026-02-03T04:05:06.789012Z";

/** A folder of the running test's own, and the name of a database in it that is not made yet. */
export async function newFolder(): Promise<{ readonly folder: string; readonly file: string }> {
  const folder = await mkdtemp(join(quickFolder, "sendctl-engine-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return { folder, file: join(folder, "sendctl.db") };
}

/** A database of the running test's own, of the kind that the tests work on. */
export async function newDatabase(): Promise<TestDatabase> {
  const { folder } = await newFolder();
  const database = await makeDatabase(folder);
  onTestFinished(database.close);
  return database;
}

/** The engine on a new database of the running test's own, and what it stands on. */
export async function newEngine() {
  const database = await newDatabase();
  const store = await database.open(() => someTime);
  onTestFinished(() => store.close());
  return { database, store, engine: createEngine(store, defaultIntegration) };
}

/** Calls an operation with an input that may be anything, as one that came from outside may. */
export function call(service: Service, operation: OperationName, input: unknown): Promise<Reply> {
  return (service[operation] as (input: unknown) => Promise<Reply>)(input);
}

/** What a test knows of the file behind the store's back. */
export function withDatabase<Result>(file: string, use: (database: Sqlite.Database) => Result) {
  const database = connect(file);
  try {
    return use(database);
  } finally {
    database.close();
  }
}

/** An integration beside the default one; there is no operation that makes one. */
export function addIntegration(file: string, name: string): number {
  return withDatabase(file, (database) =>
    Number(
      database.prepare("INSERT INTO integration (name, created_at) VALUES (?, 0)").run(name)
        .lastInsertRowid,
    ),
  );
}

/** Opens the file, uses the engine on it, and closes it again. */
export async function withEngine<Result>(
  file: string,
  use: (engine: Service, store: Store) => Promise<Result>,
  integration = defaultIntegration,
): Promise<Result> {
  const store = openSqliteStore(file, () => someTime);
  try {
    return await use(createEngine(store, integration), store);
  } finally {
    await store.close();
  }
}

export async function hashOf(file: string): Promise<string> {
  return createHash("sha256")
    .update(await readFile(file))
    .digest("hex");
}

/**
 * Each file of a folder by its path, with a hash of its bytes. Without -shm: SQLite makes it anew from the
 * -wal file whenever it is missing, so it holds nothing.
 */
export async function contentsOf(folder: string): Promise<Record<string, string>> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = found.filter((entry) => entry.isFile() && !entry.name.endsWith("-shm"));
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).toSorted();
  return Object.fromEntries(
    await Promise.all(paths.map(async (path) => [path, await hashOf(path)] as const)),
  );
}

/** Expects an error of the database: the file in one line, a hint, and one of the problems. */
export function expectDatabaseFailure(
  error: unknown,
  file: string,
  ...problems: readonly DatabaseProblem[]
): void {
  expect(error).toBeInstanceOf(SendctlError);
  const { kind, message, hint, database } = error as SendctlError;
  expect(kind).toBe("database");
  expect(problems).toContain(database);
  expect(message).toMatch(/^the database [^\n]+$/);
  expect(message).toContain(` ${file} `);
  expect(hint).toMatch(/^[^\n]+$/);
  // Advice belongs to the hint.
  expect(message).not.toContain(hint);
}

/** What a call threw, or undefined where it threw nothing. */
export async function thrownBy(body: () => unknown): Promise<unknown> {
  try {
    await body();
    return undefined;
  } catch (error) {
    return error;
  }
}
