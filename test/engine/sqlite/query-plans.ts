import type Sqlite from "better-sqlite3";
import { openDatabase } from "../../../src/engine/sqlite/connection/open.ts";
import { createQueries, type Queries } from "../../../src/engine/sqlite/queries.ts";
import { newFolder, someTime } from "../support/engine-fixtures.ts";

/** Returns the steps of SQLite's plan for a statement, whose values are `?` or `$1`. */
export function planOf(prepare: Sqlite.Database["prepare"], sql: string): string[] {
  const values = (sql.match(/\?/g) ?? []).map(() => null);
  const numbered = [...sql.matchAll(/\$(\d+)/g)].map(([, number]) => [number!, null]);
  const given = numbered.length > 0 ? [Object.fromEntries(numbered)] : values;
  const plan = prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...given) as { detail: string }[];
  return plan.map(({ detail }) => detail);
}

/** Returns SQLite's query plan of each statement on records that `use` runs, in order. */
export async function plansOf(use: (queries: Queries) => Promise<unknown>): Promise<string[]> {
  const { file } = await newFolder();
  const database = openDatabase(file);
  const prepare = database.prepare.bind(database);
  const sent: string[] = [];
  database.prepare = (sql: string) => {
    sent.push(sql);
    return prepare(sql);
  };
  try {
    await use(createQueries(database, file, () => someTime));
    return sent
      .filter((sql) => /\b(?:contact|contact_group|sender_id)\b/.test(sql))
      .map((sql) => planOf(prepare, sql).join("\n"));
  } finally {
    database.close();
  }
}
