import { expect, test } from "vitest";
import { openDatabase } from "../../../src/engine/sqlite/connection/open.ts";
import { newFolder } from "../support/engine-fixtures.ts";

test("every commit is flushed to the drive, on macOS too", async () => {
  const { file } = await newFolder();
  const database = openDatabase(file);
  const value = (name: string) => database.pragma(name, { simple: true });
  // 2 is FULL.
  expect([value("synchronous"), value("fullfsync")]).toStrictEqual([2, 1]);
  database.close();
});
