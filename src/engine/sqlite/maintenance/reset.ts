import { existsSync } from "node:fs";
import type { RecordCounts } from "../../maintenance/maintenance.ts";
import { defaultIntegration } from "../../store.ts";
import { databaseError } from "../connection/database-error.ts";
import { countRecords } from "./record-counts.ts";
import { openDatabase, type Database } from "../connection/open.ts";
import { countTurn } from "../connection/mark.ts";
import { refuseReplaced } from "../connection/open-file.ts";

/** Tables that are kept, or of which only some rows are deleted. */
const keptTables: ReadonlySet<string> = new Set(["clock", "integration", "secret_key"]);

/**
 * Empties a database in one transaction. Ids start again as in a new database; times keep
 * increasing (ruling 22).
 *
 * @param keepKeys whether to keep keys and the integrations that have keys
 * @param timeout how long to wait for other processes, in milliseconds
 * @returns the record counts before the reset; undefined if the database does not exist
 * @throws SendctlError "database" if it cannot be used
 */
export function resetDatabase(
  file: string,
  keepKeys: boolean,
  timeout: number,
): RecordCounts | undefined {
  if (!existsSync(file)) return undefined;
  const database = openDatabase(file, timeout);
  try {
    // Without foreign keys and triggers, SQLite frees the pages of a table at once instead of
    // deleting row by row.
    database.pragma("foreign_keys = OFF");
    const countsBefore = database.transaction(() => deleteRecords(database, keepKeys)).immediate();
    shrink(database);
    refuseReplaced(database, file, true);
    return countsBefore;
  } catch (error) {
    throw databaseError(error, file, database);
  } finally {
    database.close();
  }
}

function deleteRecords(database: Database, keepKeys: boolean): RecordCounts {
  const countsBefore = countRecords(database);
  const parts = (type: string): { readonly name: string; readonly sql: string }[] =>
    database
      .prepare<[string]>(
        `SELECT name, sql FROM sqlite_schema WHERE type = ? AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`,
      )
      .all(type) as { name: string; sql: string }[];
  const triggers = parts("trigger");
  for (const { name } of triggers) database.exec(`DROP TRIGGER "${name}"`);
  for (const { name } of parts("table")) {
    if (keptTables.has(name)) continue;
    database.exec(`DELETE FROM "${name}"`);
    database.prepare("DELETE FROM sqlite_sequence WHERE name = ?").run(name);
  }
  if (!keepKeys) {
    database.exec("DELETE FROM secret_key; DELETE FROM sqlite_sequence WHERE name = 'secret_key'");
    database.prepare("DELETE FROM integration WHERE id <> ?").run(defaultIntegration);
    database
      .prepare("UPDATE sqlite_sequence SET seq = ? WHERE name = 'integration'")
      .run(defaultIntegration);
  } else {
    database
      .prepare(
        `DELETE FROM integration
         WHERE id <> ? AND id NOT IN (SELECT integration_id FROM secret_key)`,
      )
      .run(defaultIntegration);
  }
  database.exec("UPDATE integration SET sender_id_total = 0, contact_group_total = 0");
  database.exec(`UPDATE clock SET ${countTurn}`);
  for (const { sql } of triggers) database.exec(sql);
  return countsBefore;
}

/** How long to wait for other processes before giving up shrinking the file, in milliseconds. */
const shrinkingTimeout = 500;

function shrink(database: Database): void {
  try {
    database.pragma(`busy_timeout = ${shrinkingTimeout}`);
    database.exec("VACUUM");
    database.pragma("wal_checkpoint(TRUNCATE)");
  } catch {
    // The database is empty even if the file does not shrink.
  }
}
