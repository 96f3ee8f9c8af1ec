import { existsSync } from "node:fs";
import type { RecordCounts } from "../../maintenance/maintenance.ts";
import { defaultIntegration } from "../../store.ts";
import { databaseError } from "../connection/database-error.ts";
import { countRecords } from "./record-counts.ts";
import { openDatabase, type Database } from "../connection/open.ts";
import { countTurn } from "../connection/mark.ts";
import { refuseReplaced } from "../connection/open-file.ts";

/** What stays, or is emptied by the row. */
const kept: ReadonlySet<string> = new Set(["clock", "integration", "secret_key"]);

/**
 * Empties a database in one transaction. Ids begin anew, as in a new database; times go on (ruling 22).
 *
 * @param keepKeys whether keys stay, and the integrations that they are of
 * @param timeout how long to wait for others, in milliseconds
 * @returns what it held; undefined where there is none
 * @throws SendctlError "database" where it can't be used
 */
export function resetDatabase(
  file: string,
  keepKeys: boolean,
  timeout: number,
): RecordCounts | undefined {
  if (!existsSync(file)) return undefined;
  const database = openDatabase(file, timeout);
  try {
    // Without them, and without triggers, SQLite lets go of a table's pages instead of its rows.
    database.pragma("foreign_keys = OFF");
    const held = database.transaction(() => emptied(database, keepKeys)).immediate();
    shrink(database);
    refuseReplaced(database, file, true);
    return held;
  } catch (error) {
    throw databaseError(error, file, database);
  } finally {
    database.close();
  }
}

function emptied(database: Database, keepKeys: boolean): RecordCounts {
  const held = countRecords(database);
  const parts = (type: string): { readonly name: string; readonly sql: string }[] =>
    database
      .prepare<[string]>(
        `SELECT name, sql FROM sqlite_schema WHERE type = ? AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`,
      )
      .all(type) as { name: string; sql: string }[];
  const triggers = parts("trigger");
  for (const { name } of triggers) database.exec(`DROP TRIGGER "${name}"`);
  for (const { name } of parts("table")) {
    if (kept.has(name)) continue;
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
  return held;
}

/** Milliseconds to wait for others who are in the way of a smaller file. */
const shrinkingTimeout = 500;

function shrink(database: Database): void {
  try {
    database.pragma(`busy_timeout = ${shrinkingTimeout}`);
    database.exec("VACUUM");
    database.pragma("wal_checkpoint(TRUNCATE)");
  } catch {
    // It is empty all the same.
  }
}
