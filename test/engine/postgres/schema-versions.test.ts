import { expect, test } from "vitest";
import { migrations } from "../../../src/engine/postgres/connection/migrations.ts";
import { createPostgresMaintenance } from "../../../src/engine/postgres/maintenance.ts";
import type { Store } from "../../../src/engine/store/store.ts";
import { someTime, thrownBy } from "../support/engine-fixtures.ts";
import { describeOnPostgres, nowhere, openStore, runSql } from "./postgres-database.ts";

const group = { name: "G", send_birthday: false, send_holiday: null, birthday_message: null };

const open = (url: string): Promise<Store> => openStore(url, () => someTime);

const maintenanceOf = (url: string) =>
  createPostgresMaintenance({ url, shown: "the database" }, nowhere, 30_000);

describeOnPostgres((server) => {
  test("the schema of a newer version is refused, even while a server runs", async () => {
    const url = server().url("newer");
    const running = await open(url);
    await runSql(
      server(),
      "newer",
      `BEGIN; ALTER TABLE contact_group RENAME COLUMN name TO title;
       UPDATE sendctl SET version = ${migrations.length + 1}; COMMIT`,
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
    await (await open(url)).insertGroup(1, group);
    const older = "ALTER TABLE sendctl DROP COLUMN compatible_with; UPDATE sendctl SET version = 2";
    await runSql(server(), "older", older);
    const stores = await Promise.all(Array.from({ length: 5 }, () => open(url)));
    for (const store of stores) {
      expect(await store.sliceOfGroups(1, 0, 9)).toMatchObject({ total: 1 });
    }
    const info = await maintenanceOf(url).info();
    expect(info).toMatchObject({ schema_version: migrations.length, groups: 1 });
  });
});
