import { attempted, isRefusal } from "../../../src/service/refusals.ts";
import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type Sqlite from "better-sqlite3";
import { expect, onTestFinished } from "vitest";
import type { Maintenance } from "../../../src/engine/maintenance/maintenance.ts";
import type { OperationName } from "../../../src/contract/operations.ts";
import type { Reply, Service } from "../../../src/contract/service.ts";
import { createEngine } from "../../../src/engine/engine.ts";
import { createMaintenance } from "../../../src/engine/sqlite/maintenance.ts";
import { openSqliteStore } from "../../../src/engine/sqlite/store.ts";
import { type Store } from "../../../src/engine/store/store.ts";
import {
  defaultIntegration,
  type NewGroup,
  type StoredGroup,
} from "../../../src/engine/store/stored.ts";
import { SendctlError, type DatabaseProblem } from "../../../src/core/error.ts";
import { makeDatabase, type TestDatabase } from "./test-database.ts";
import { connect } from "../../../src/engine/sqlite/database-file.ts";
import { deleteFolder, quickFolder } from "../../support/quick-folder.ts";

/** The fixed time of the tests' clock, 2026-02-03T04:05:06.789012Z, in microseconds since 1970. */
export const someTime = Date.UTC(2026, 1, 3, 4, 5, 6, 789) * 1000 + 12;

/**
 * Creates a folder for the running test, and returns the path of a database in it that does not
 * exist yet.
 */
export async function newFolder(): Promise<{ readonly folder: string; readonly file: string }> {
  const folder = await mkdtemp(join(quickFolder, "sendctl-engine-"));
  onTestFinished(() => deleteFolder(folder));
  return { folder, file: join(folder, "sendctl.db") };
}

/** Creates a database for the running test, of the kind that the tests use. */
export async function newDatabase(): Promise<TestDatabase> {
  const { folder } = await newFolder();
  const database = await makeDatabase(folder);
  onTestFinished(database.close);
  return database;
}

/** Creates an engine for the running test, on a new database. */
export async function newEngine() {
  const database = await newDatabase();
  const store = await database.open(() => someTime);
  onTestFinished(() => store.close());
  return { database, store, engine: createEngine(store, defaultIntegration) };
}

/** The fields of a group that a test does not set. */
export const unsetFields = { send_birthday: false, send_holiday: null, birthday_message: null };

/** Inserts a group that nothing in the database prevents. */
export async function insertGroup(
  store: Store,
  integration: number,
  fields: Pick<NewGroup, "name"> & Partial<NewGroup>,
): Promise<StoredGroup> {
  const stored = await store.insertGroup(integration, { ...unsetFields, ...fields });
  if (typeof stored === "string") throw new Error(stored);
  return stored;
}

/** Calls an operation with any input, valid or not, as a request from outside could. @returns the reply, also of a refusal */
export async function call(
  service: Service,
  operation: OperationName,
  input: unknown,
): Promise<Reply> {
  const operate = service[operation] as (input: unknown) => Promise<Reply>;
  const answered = await attempted(operate(input));
  return isRefusal(answered) ? answered.reply : answered;
}

/** Gives a test direct access to the file, bypassing the store. */
export function withDatabase<Result>(file: string, use: (database: Sqlite.Database) => Result) {
  const database = connect(file);
  try {
    return use(database);
  } finally {
    database.close();
  }
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

export function maintenanceOf(file: string, signal = new AbortController().signal): Maintenance {
  return createMaintenance(file, "/", () => signal);
}

/** Restores a backup. Returns the state of the database before, and the path of the old database. */
export async function restore(file: string, backup: string) {
  let before: unknown;
  const report = await maintenanceOf(file).restore(backup, async (_, current) => {
    before = current;
  });
  return { current: before, keptFile: report.kept_database };
}

export async function hashOf(file: string): Promise<string> {
  return createHash("sha256")
    .update(await readFile(file))
    .digest("hex");
}

/**
 * Returns a hash of each file of a folder, by path. Leaves out -shm files: SQLite rebuilds them
 * from the -wal file, so they contain no data.
 */
export async function contentsOf(folder: string): Promise<Record<string, string>> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = found.filter((entry) => entry.isFile() && !entry.name.endsWith("-shm"));
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).toSorted();
  return Object.fromEntries(
    await Promise.all(paths.map(async (path) => [path, await hashOf(path)] as const)),
  );
}

/** Expects a database error with the file on one line, a hint, and one of the problems. */
export function expectDatabaseFailure(
  error: unknown,
  file: string,
  ...problems: readonly DatabaseProblem[]
): void {
  expect(error).toBeInstanceOf(SendctlError);
  const { kind, message, hint, details } = error as SendctlError;
  expect(kind).toBe("database");
  expect(problems).toContain(details.database);
  expect(message).toMatch(/^the database [^\n]+$/);
  expect(message).toContain(` ${file} `);
  expect(hint).toMatch(/^[^\n]+$/);
  // Advice is given only in the hint.
  expect(message).not.toContain(hint);
}

/** Returns the error that a call threw; undefined if it did not throw. */
export async function thrownBy(body: () => unknown): Promise<unknown> {
  try {
    await body();
    return undefined;
  } catch (error) {
    return error;
  }
}
