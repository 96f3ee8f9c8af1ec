import { expect, test } from "vitest";
import { readAddress } from "../../../src/engine/postgres/address.ts";
import { migrate, migrations, newestVersion } from "../../../src/engine/postgres/schema.ts";
import { createPostgresMaintenance } from "../../../src/engine/postgres/maintenance.ts";
import { createQueries, withQueries } from "../../../src/engine/postgres/queries.ts";
import type { Store } from "../../../src/engine/store/store.ts";
import { someTime, thrownBy, unsetFields } from "../support/engine-fixtures.ts";
import { describeOnPostgres, nowhere, openStore, runSql } from "./postgres-database.ts";

const group = { ...unsetFields, name: "G" };

const open = (url: string): Promise<Store> => openStore(url, () => someTime);

const maintenanceOf = (url: string) =>
  createPostgresMaintenance({ url, shown: "the database" }, nowhere, 30_000);

/** A step after the first. */
const addNote = ["ALTER TABLE contact_group ADD COLUMN note text DEFAULT 'none'"];

/** Brings a schema up to date that may lack a second step. */
function migrateWith(url: string, second: readonly string[]): Promise<void> {
  const queries = createQueries(readAddress(url, nowhere));
  return withQueries(queries, () => migrate(queries, [...migrations, second]));
}

describeOnPostgres((server) => {
  /** Returns columns, constraints and indexes. */
  async function structureOf(schema: string): Promise<unknown[]> {
    return runSql(
      server(),
      schema,
      `SELECT replace(text, '${schema}.', '') AS text FROM (
         SELECT concat_ws(' ', table_name, column_name, data_type, collation_name, is_nullable,
           column_default, identity_generation) AS text
         FROM information_schema.columns WHERE table_schema = '${schema}'
         UNION ALL
         SELECT conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid)
         FROM pg_constraint WHERE connamespace = '${schema}'::regnamespace
         UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = '${schema}'
       ) AS found ORDER BY text`,
    );
  }

  test("the schema of a newer version is refused", async () => {
    const url = server().url("newer");
    await open(url);
    await runSql(
      server(),
      "newer",
      `BEGIN; ALTER TABLE contact_group RENAME COLUMN name TO title;
       UPDATE sendctl SET version = ${newestVersion + 1}; COMMIT`,
    );
    const maintenance = maintenanceOf(url);
    const uses = [() => open(url), maintenance.info, () => maintenance.reset(false)];
    for (const use of uses) {
      expect(await thrownBy(use)).toMatchObject({
        kind: "database",
        details: { database: "newer" },
      });
    }
  });

  test("five processes take a second step once, which keeps the records", async () => {
    const url = server().url("second");
    await (await open(url)).insertGroup(1, group);
    const processes = Array.from({ length: 5 }, () => migrateWith(url, addNote));
    await Promise.all(processes);
    const rows = await runSql(
      server(),
      "second",
      "SELECT id, name, note, (SELECT version FROM sendctl) FROM contact_group",
    );
    const version = newestVersion + 1;
    expect(rows).toEqual([{ id: 1, name: "G", note: "none", version }]);
  });

  test("a second step that fails changes nothing", async () => {
    const url = server().url("failed");
    await (await open(url)).insertGroup(1, group);
    const before = await structureOf("failed");
    await thrownBy(() => migrateWith(url, [...addNote, "UPDATE sendctl SET version = NULL"]));
    expect(await structureOf("failed")).toEqual(before);
    const info = await maintenanceOf(url).info();
    expect(info).toMatchObject({ schema_version: newestVersion, groups: 1 });
  });
});
