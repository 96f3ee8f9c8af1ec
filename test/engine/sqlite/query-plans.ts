import { openDatabase } from "../../../src/engine/sqlite/connection/open.ts";
import { createQueries, type Queries } from "../../../src/engine/sqlite/queries.ts";
import { newFolder, someTime } from "../support/engine-fixtures.ts";

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
      .map((sql) => {
        const values = (sql.match(/\?/g) ?? []).map(() => null);
        return JSON.stringify(prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values));
      });
  } finally {
    database.close();
  }
}
