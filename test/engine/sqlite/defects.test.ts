import { expect, test } from "vitest";
import { SendctlError } from "../../../src/core/error.ts";
import { databaseError } from "../../../src/engine/sqlite/connection/database-error.ts";
import { openDatabase } from "../../../src/engine/sqlite/connection/open.ts";
import { createQueries } from "../../../src/engine/sqlite/queries.ts";
import { newFolder, someTime, thrownBy, withDatabase } from "../support/engine-fixtures.ts";

/** Statements that SQLite rejects, such as a bug of ours might send. */
const wrong = ["SELEC 1", "SELECT nothing FROM clock", "SELECT 1 FROM nowhere", "SELECT f(1)"];

test("SQL that SQLite rejects on an intact database is a defect", async () => {
  const { file } = await newFolder();
  const queries = createQueries(openDatabase(file), file, () => someTime);
  try {
    for (const sql of wrong) {
      for (const run of [queries.read, queries.write]) {
        const error = await thrownBy(() => run(() => queries.row(sql)));
        expect(error, sql).toBeInstanceOf(Error);
        expect(error, sql).not.toBeInstanceOf(SendctlError);
      }
    }
  } finally {
    await queries.close();
  }
});

test.each([
  "DROP TABLE contact",
  "ALTER TABLE contact_group DROP COLUMN birthday_message",
  "DROP TRIGGER contact_added",
])("a rejected statement means damage after %s", async (change) => {
  const { file } = await newFolder();
  openDatabase(file).close();
  withDatabase(file, (database) => {
    database.exec(change);
    const error = databaseError(
      Object.assign(new Error("no such table"), { code: "SQLITE_ERROR" }),
      file,
      database,
    );
    expect(error).toMatchObject({ kind: "database", database: "damaged", file });
  });
});
