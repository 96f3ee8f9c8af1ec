import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newestVersion } from "../../../src/engine/postgres/connection/migrations.ts";
import { createPostgresMaintenance } from "../../../src/engine/postgres/maintenance.ts";
import type { Store } from "../../../src/engine/store/store.ts";
import { someTime, thrownBy } from "../support/engine-fixtures.ts";
import { describeOnPostgres, nowhere, openStore, runSql } from "./postgres-database.ts";

const group = { name: "G", send_birthday: false, send_holiday: null, birthday_message: null };

const open = (url: string): Promise<Store> => openStore(url, () => someTime);

const maintenanceOf = (url: string) =>
  createPostgresMaintenance({ url, shown: "the database" }, nowhere, 30_000);

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

  test("the schema of a newer version is refused, even while a server runs", async () => {
    const url = server().url("newer");
    const running = await open(url);
    await runSql(
      server(),
      "newer",
      `BEGIN; ALTER TABLE contact_group RENAME COLUMN name TO title;
       UPDATE sendctl SET version = ${newestVersion + 1}; COMMIT`,
    );
    const maintenance = maintenanceOf(url);
    const uses = [
      () => open(url),
      () => running.insertGroup(1, group),
      maintenance.info,
      maintenance.check,
      () => maintenance.reset(false),
    ];
    for (const use of uses) {
      expect(await thrownBy(use)).toMatchObject({ kind: "database", database: "newer" });
    }
  });

  test("five processes that open an older schema upgrade it once", async () => {
    const url = server().url("older");
    await runSql(
      server(),
      "older",
      "CREATE SCHEMA older",
      await readFile(join(import.meta.dirname, "version-3.sql"), "utf8"),
      "INSERT INTO integration (id, name, created_at) VALUES (4, 'shop', 5), (5, NULL, 6)",
      "INSERT INTO secret_key VALUES (8, 4, sha256('key'), 'last', 7)",
      "INSERT INTO sender_id VALUES (3, 4, 'ACME', 'Orders', 'APPROVED', 8)",
      `INSERT INTO contact_group (id, integration_id, uuid, name, send_birthday, sender_id, contacts_count, created_at)
       VALUES (6, 4, gen_random_uuid(), 'G', true, 3, 1, 9), (7, NULL, gen_random_uuid(), 'Gone', false, NULL, 1, 10)`,
      "INSERT INTO contact (group_id, phone, birth_date) VALUES (6, '+441', '--02-28'), (7, '+442', NULL)",
      "UPDATE integration SET sender_id_total = 1, contact_group_total = 1 WHERE id = 4",
      `UPDATE clock SET newest = ${someTime + 10}, last_integration = 5, last_key = 9, last_sender_id = 3, last_group = 7`,
    );
    const stores = await Promise.all(Array.from({ length: 5 }, () => open(url)));
    for (const store of stores) {
      expect(await store.sliceOfGroups(4, 0, 9)).toMatchObject({ total: 1, items: [{ id: 6 }] });
    }
    const [store] = stores as [Store];
    expect(await store.senderIdOfGroup(4, 6)).toBe("ACME");
    expect(await store.contactsBornOn(4, 6, "02-28")).toMatchObject([{ phone: "+441" }]);
    expect(await store.keys()).toMatchObject([{ id: 8, integration: "shop" }]);
    // Ids and times continue (rulings 21 and 22).
    expect(await store.insertGroup(4, group)).toMatchObject({ id: 8, created_at: someTime + 11 });
    expect(await store.insertIntegration("next")).toMatchObject({ id: 6 });
    expect(await store.insertKey("shop", new Uint8Array(32), "abcd")).toMatchObject({ id: 10 });
    expect(await maintenanceOf(url).check()).toMatchObject({ problem_count: 0 });
    const info = await maintenanceOf(url).info();
    expect(info).toMatchObject({ schema_version: newestVersion, groups: 2, contacts: 1 });
    // The tables are the same as new ones.
    await open(server().url("new"));
    const [upgraded, created] = await Promise.all(["older", "new"].map(structureOf));
    expect(upgraded).toStrictEqual(created);
  });
});
