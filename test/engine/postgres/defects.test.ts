import { expect, test } from "vitest";
import { SendctlError } from "../../../src/core/error.ts";
import { readAddress } from "../../../src/engine/postgres/address.ts";
import { tables } from "../../../src/engine/postgres/connection.ts";
import { openQueries } from "../../../src/engine/postgres/schema.ts";
import { thrownBy } from "../support/engine-fixtures.ts";
import { describeOnPostgres, nowhere } from "./postgres-database.ts";

describeOnPostgres((server) => {
  const open = (schema: string) => openQueries(readAddress(server().url(schema), nowhere));

  test("SQL that PostgreSQL cannot run is a defect", async () => {
    const queries = await open("intact");
    try {
      for (const sql of ["SELEC 1", "SELECT nothing()", "SELECT 1 / 0"]) {
        for (const run of [
          () => queries.row(sql),
          () => queries.change(sql),
          () => queries.transact((send) => send(sql)),
        ]) {
          const error = await thrownBy(run);
          expect(error, sql).toBeInstanceOf(Error);
          expect(error, sql).not.toBeInstanceOf(SendctlError);
        }
      }
    } finally {
      await queries.close();
    }
  });

  test.each([
    ["a table", "DROP TABLE contact", "SELECT 1 FROM contact"],
    [
      "a column",
      "ALTER TABLE contact_group DROP COLUMN send_holiday",
      "SELECT send_holiday FROM contact_group",
    ],
  ])("without %s, a database is not called damaged", async (what, change, sql) => {
    const queries = await open(what.replace(" ", "_"));
    try {
      await queries.transact((send) => send(change));
      const error = await thrownBy(() => queries.row(sql));
      expect(error).toMatchObject({ kind: "database", details: { database: "missing" } });
    } finally {
      await queries.close();
    }
  });

  test("the checked tables are those that the migrations create", async () => {
    const queries = await open("fresh");
    try {
      const found = await queries.select<{ name: string }>(
        "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'fresh'",
      );
      expect(found.map(({ name }) => name).toSorted()).toEqual(tables.toSorted());
    } finally {
      await queries.close();
    }
  });
});
