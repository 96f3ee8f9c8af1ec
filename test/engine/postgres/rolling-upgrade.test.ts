import { expect, test } from "vitest";
import {
  migrations,
  oldestCompatible,
} from "../../../src/engine/postgres/connection/migrations.ts";
import {
  createPostgresMaintenance,
  examinePostgres,
} from "../../../src/engine/postgres/maintenance.ts";
import type { Store } from "../../../src/engine/store/store.ts";
import { someTime, thrownBy } from "../support/engine-fixtures.ts";
import { describeOnPostgres, nowhere, openStore, runSql } from "./postgres-database.ts";

const group = { name: "G", send_birthday: false, send_holiday: null, birthday_message: null };
const current = migrations.length;
const next = current + 1;

const open = (url: string, migrates = false): Promise<Store> =>
  openStore(url, () => someTime, { migrates });

/** Does what the next version's migration would do. */
const migrated = (sql: string, compatibleWith: number): string =>
  `BEGIN; ${sql}; UPDATE sendctl SET version = ${next}, compatible_with = ${compatibleWith}; COMMIT`;

const maintenanceOf = (url: string) =>
  createPostgresMaintenance({ url, shown: "the database" }, nowhere, 30_000);

describeOnPostgres((server) => {
  test("a server goes on after a compatible migration of the next version", async () => {
    const url = server().url("compatible");
    const running = await open(url, true);
    await runSql(
      server(),
      "compatible",
      migrated("ALTER TABLE contact_group ADD COLUMN more text DEFAULT 'x'", current),
    );
    await running.insertGroup(1, group);
    const started = await open(url);
    await started.insertGroup(1, group);
    expect(await started.sliceOfGroups(1, 0, 9)).toMatchObject({ total: 2 });
    const maintenance = maintenanceOf(url);
    expect(await maintenance.info()).toMatchObject({ schema_version: next, groups: 2 });
    expect(await maintenance.migrate(true)).toMatchObject({
      from_version: next,
      to_version: next,
    });
    expect(await examinePostgres(url, nowhere, 5000, undefined)).toMatchObject({ version: next });
    // These must know every column.
    for (const use of [() => maintenance.check(), () => maintenance.reset(false)]) {
      expect(await thrownBy(use)).toMatchObject({ kind: "database", database: "newer" });
    }
  });

  test("a server refuses an incompatible schema of the next version", async () => {
    const url = server().url("incompatible");
    const running = await open(url, true);
    await runSql(
      server(),
      "incompatible",
      migrated("ALTER TABLE contact_group RENAME COLUMN name TO title", next),
    );
    const newer = { kind: "database", database: "newer" };
    expect(await thrownBy(() => open(url))).toMatchObject(newer);
    expect(await thrownBy(() => open(url, true))).toMatchObject(newer);
    expect(await thrownBy(() => maintenanceOf(url).migrate(true))).toMatchObject(newer);
    expect(await thrownBy(() => running.insertGroup(1, group))).toMatchObject(newer);
  });

  test("a server that must not migrate refuses a missing or older schema", async () => {
    const url = server().url("older");
    const maintenance = maintenanceOf(url);
    expect(await thrownBy(() => open(url))).toMatchObject({
      database: "unmigrated",
      hint: "sendctl local migrate",
    });
    expect(await maintenance.migrate(false)).toEqual({
      database: "the database",
      from_version: null,
      to_version: current,
      compatible: true,
    });
    expect(await maintenance.exists()).toBe(false);
    expect(await maintenance.migrate(true)).toMatchObject({ from_version: null });
    await runSql(
      server(),
      "older",
      "ALTER TABLE sendctl DROP COLUMN compatible_with; UPDATE sendctl SET version = 2",
    );
    expect(await thrownBy(() => open(url))).toMatchObject({ database: "unmigrated" });
    const upgrade = { from_version: 2, to_version: current, compatible: false };
    expect(await maintenance.migrate(false)).toMatchObject(upgrade);
    expect(await thrownBy(() => open(url))).toMatchObject({ database: "unmigrated" });
    const several = await Promise.all(
      Array.from({ length: 5 }, () => maintenanceOf(url).migrate(true)),
    );
    const versions = several.map(({ from_version: version }) => version);
    expect(versions.toSorted((one, other) => one! - other!)).toEqual([
      2,
      current,
      current,
      current,
      current,
    ]);
    await open(url);
  });
});

test("a compatible migration does not make up for an incompatible one before it", () => {
  expect(oldestCompatible(0)).toBe(0);
  expect(oldestCompatible(3, {})).toBe(3);
  expect(oldestCompatible(4, { 3: 2, 4: 2 })).toBe(2);
  expect(oldestCompatible(5, { 3: 2, 5: 2 })).toBe(4);
});
