import type { IntegrityProblem } from "../../maintenance/maintenance.ts";
import type { Address } from "../connection/address.ts";
import type { Connection } from "../connection/connection.ts";
import { clockChecks, totalChecks } from "../../maintenance/stored-checks.ts";
import { visible } from "../conditions.ts";
import { tables } from "../connection/migrations.ts";

/** The checks in a report: what PostgreSQL cannot know. It checks references, and `pg_amcheck` pages and indexes. */
export const checkNames = ["schema", "totals", "clock"];

/** Ids that the clock has not given yet, by the column of the last one. */
const idChecks = [
  ["integration", "last_integration"],
  ["secret_key", "last_key"],
  ["sender_id", "last_sender_id"],
  ["contact_group", "last_group"],
].map(([table, last]) => ({
  name: "clock",
  sql: `SELECT '${table} ' || one.id || ' has an id that was not given yet' AS detail
        FROM ${table} AS one JOIN clock ON one.id > clock.${last}`,
}));

const checks = [...totalChecks(visible), ...clockChecks, ...idChecks];

/** Returns the problems of a database. Changes nothing. */
export async function findProblems(
  connection: Connection,
  { schema }: Address,
): Promise<IntegrityProblem[]> {
  const { rows } = await connection.send({
    text: "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = $1",
    values: [schema],
  });
  const existing = new Set((rows as { name: string }[]).map(({ name }) => name));
  const missing = tables.filter((table) => !existing.has(table));
  if (missing.length > 0) {
    return missing.map((table) => ({ check: "schema", detail: `table ${table} is missing` }));
  }
  const problems: IntegrityProblem[] = [];
  for (const { name, sql } of checks) {
    const found = (await connection.send({ text: sql })).rows as { detail: string }[];
    for (const { detail } of found) problems.push({ check: name, detail });
  }
  return problems;
}
