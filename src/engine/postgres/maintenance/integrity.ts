import type { IntegrityProblem } from "../../maintenance/maintenance.ts";
import type { Address } from "../connection/address.ts";
import type { Connection } from "../connection/connection.ts";
import { visible } from "../conditions.ts";
import { tables } from "../connection/migrations.ts";

/** The checks in a report: what PostgreSQL cannot know. It checks references, and `pg_amcheck` pages and indexes. */
export const checkNames = ["schema", "totals", "clock"];

interface Check {
  readonly check: string;
  /** Selects one row per problem, with its text as `detail`. */
  readonly sql: string;
}

const totals = [
  ["integration", "sender_id_total", "sender_id", "integration_id"],
  ["integration", "contact_group_total", "contact_group", "integration_id"],
  ["contact_group", "contacts_count", "contact", "group_id"],
] as const;

const counters = [
  ["integration", "last_integration"],
  ["secret_key", "last_key"],
  ["sender_id", "last_sender_id"],
  ["contact_group", "last_group"],
] as const;

const checks: readonly Check[] = [
  ...totals.map(([owner, total, of, by]) => ({
    check: "totals",
    sql: `SELECT '${owner} ' || one.id || ' has ${total} ' || one.${total} || ' but '
            || coalesce(found.count, 0) || ' rows in ${of}' AS detail
          FROM ${owner} AS one
          LEFT JOIN (SELECT ${by} AS id, count(*) AS count FROM ${of} GROUP BY ${by}) AS found
            ON found.id = one.id
          WHERE one.${total} <> coalesce(found.count, 0)
            AND one.id IN (SELECT id FROM ${owner} WHERE ${visible[owner]})`,
  })),
  {
    check: "clock",
    sql: `SELECT 'the clock has ' || count(*) || ' rows instead of 1' AS detail FROM clock
          HAVING count(*) <> 1`,
  },
  ...counters.flatMap(([table, last]) => [
    {
      check: "clock",
      sql: `SELECT '${table} ' || one.id || ' was created after the newest time of the clock' AS detail
            FROM ${table} AS one JOIN clock ON one.created_at > clock.newest`,
    },
    {
      check: "clock",
      sql: `SELECT '${table} ' || one.id || ' has an id that was not given yet' AS detail
            FROM ${table} AS one JOIN clock ON one.id > clock.${last}`,
    },
    {
      check: "clock",
      sql: `SELECT '${table} ' || id || ' was created no later than ${table} ' || before AS detail
            FROM (SELECT id, created_at, lag(id) OVER (ORDER BY id) AS before,
                    lag(created_at) OVER (ORDER BY id) AS time FROM ${table}) AS one
            WHERE created_at <= time`,
    },
  ]),
];

/** Yields the problems of a database. Changes nothing. */
export async function* findProblems(
  connection: Connection,
  { schema }: Address,
): AsyncGenerator<IntegrityProblem> {
  const { rows } = await connection.send({
    text: "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = $1",
    values: [schema],
  });
  const existing = new Set((rows as { name: string }[]).map(({ name }) => name));
  const missing = tables.filter((table) => !existing.has(table));
  for (const table of missing) yield { check: "schema", detail: `table ${table} is missing` };
  if (missing.length > 0) return;
  for (const { check, sql } of checks) {
    const found = await connection.send({ text: sql });
    for (const { detail } of found.rows as { detail: string }[]) yield { check, detail };
  }
}
