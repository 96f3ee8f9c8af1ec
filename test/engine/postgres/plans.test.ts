import { beforeAll, expect, onTestFinished, test } from "vitest";
import { openPostgresStore } from "../../../src/engine/postgres/store.ts";
import { uses } from "../support/store-uses.ts";
import { until } from "../../support/waiting.ts";
import { describeOnPostgres, nowhere, runSql } from "./postgres-database.ts";

/** Groups of the default integration. */
const size = 1_000_000;

/** Its sender IDs and contacts. Fewer, because the same mistake takes as many rows to show. */
const others = 200_000;

/** Maximum number of rows that a statement about the small integration reads. */
const maxRows = 100;

/** The small integration has the lowest ids, which a scan of a primary key from the newest row on reaches last. */
const seed = `
  SET session_replication_role = replica;
  INSERT INTO integration (id, name, created_at, sender_id_total, contact_group_total)
    VALUES (2, 'small', 1, 3, 3);
  INSERT INTO sender_id (id, integration_id, name, purpose, status, created_at)
    SELECT n, CASE WHEN n <= 3 THEN 2 ELSE 1 END, n, 'p', 'APPROVED', n FROM generate_series(1, ${others}) AS n;
  INSERT INTO contact_group (id, integration_id, uuid, name, send_birthday, contacts_count, created_at)
    SELECT n, CASE WHEN n <= 3 THEN 2 ELSE 1 END, lpad(to_hex(n), 32, '0')::uuid, 'Group', n % 2 = 0,
      CASE WHEN n = 4 THEN ${others} ELSE 0 END, n
    FROM generate_series(1, ${size}) AS n;
  INSERT INTO contact (integration_id, group_id, phone, birth_date)
    SELECT 1, 4, '+44' || (${size} + n), '--02-28' FROM generate_series(1, ${others}) AS n;
  UPDATE integration SET sender_id_total = ${others} - 3, contact_group_total = ${size} - 3 WHERE id = 1;
  UPDATE integration SET newest = ${size};
  ALTER TABLE integration ALTER COLUMN id RESTART WITH 3;
  ALTER TABLE sender_id ALTER COLUMN id RESTART WITH ${others + 1};
  ALTER TABLE contact_group ALTER COLUMN id RESTART WITH ${size + 1};
  ANALYZE`;

interface Node {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Rows Removed by Index Recheck"?: number;
  readonly Plans?: readonly Node[];
}

/** Returns the rows that a plan reads from tables. */
function rowsRead(node: Node): number {
  const own =
    node["Actual Rows"] +
    (node["Rows Removed by Filter"] ?? 0) +
    (node["Rows Removed by Index Recheck"] ?? 0);
  const isScan = node["Node Type"].endsWith("Scan");
  const below = (node.Plans ?? []).map(rowsRead).reduce((sum, rows) => sum + rows, 0);
  return below + (isScan ? own * node["Actual Loops"] : 0);
}

interface Logged {
  readonly "Query Text": string;
  readonly Plan: Node;
}

/** Returns the plans in a log of PostgreSQL: JSON on lines that begin with a tab. */
function plansIn(log: string): Logged[] {
  const found = log.matchAll(/ plan:\n((?:\t.*\n)+)/g);
  return Array.from(found, ([, json]) => JSON.parse(json!) as Logged);
}

const schema = "plans";

/** Whether a statement is the test's own, or PostgreSQL's own of a foreign key, which never has a generic plan here. */
function isOther(text: string): boolean {
  return text.includes("'the last") || text.includes("FROM ONLY");
}

/** Runs each use on a new connection, rolled back to the same records by a new copy of the small integration. */
const restore = `
  SET session_replication_role = replica;
  DELETE FROM contact WHERE group_id <= 3; DELETE FROM contact_group WHERE id <= 3 OR id > ${size};
  DELETE FROM sender_id WHERE id <= 3 OR id > ${others}; DELETE FROM integration WHERE id >= 2; DELETE FROM secret_key;
  INSERT INTO integration (id, name, created_at, contact_group_total, sender_id_total) VALUES (2, 'small', 1, 3, 3);
  INSERT INTO contact_group (id, integration_id, uuid, name, send_birthday, created_at)
    SELECT n, 2, lpad(to_hex(n), 32, '0')::uuid, 'Group', true, n FROM generate_series(1, 3) AS n`;

describeOnPostgres((server) => {
  beforeAll(async () => {
    await (await openPostgresStore(server().url(schema), nowhere, () => 1)).close();
    await runSql(server(), schema, seed);
  }, 120_000);

  test.each(["force_generic_plan", "force_custom_plan"])(
    "every statement on a small integration reads few rows beside one with a million: %s",
    async (mode) => {
      const settings = [
        "session_preload_libraries = 'auto_explain'",
        "auto_explain.log_min_duration = 0",
        "auto_explain.log_analyze = on",
        "auto_explain.log_timing = off",
        "auto_explain.log_nested_statements = on",
        "auto_explain.log_format = json",
        `plan_cache_mode = ${mode}`,
      ];
      const { user } = server();
      await runSql(server(), schema, restore);
      const set = settings.map((one) => `ALTER ROLE ${user} SET ${one}`);
      await runSql(server(), schema, ["LOAD 'auto_explain'", ...set].join(";"));
      onTestFinished(
        async () => void (await runSql(server(), schema, `ALTER ROLE ${user} RESET ALL`)),
      );
      const before = server().log().length;
      const store = await openPostgresStore(server().url(schema), nowhere, () => 1);
      const known = {
        integration: 2,
        group: 1,
        uuid: `${"0".repeat(8)}-0000-0000-0000-${"2".padStart(12, "0")}`,
      };
      for (const use of Object.values(uses)) await use(store, known);
      await store.close();
      await runSql(server(), schema, "SELECT 'the last statement'");
      const log = (): string => server().log().slice(before);
      await until("the log is complete", () => log().includes("the last statement"));
      const plans = plansIn(log()).filter(({ "Query Text": text }) => !isOther(text));
      // Each method has at least one statement.
      expect(plans.length).toBeGreaterThan(Object.keys(uses).length);
      const long = plans.filter(({ Plan }) => rowsRead(Plan) > maxRows);
      expect(long.map((one) => [one["Query Text"], rowsRead(one.Plan)])).toEqual([]);
    },
  );
});
