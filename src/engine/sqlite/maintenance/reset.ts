import { existsSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import { isLeftover, removeLeftovers } from "../../../core/own-file.ts";
import type { RecordCounts } from "../../maintenance/maintenance.ts";
import { defaultIntegration } from "../../store/store.ts";
import { countRecords } from "./record-counts.ts";
import { settle, withDatabase, type Database } from "../connection/open.ts";
import { countTurn } from "../connection/mark.ts";
import { refuseLost } from "../connection/connect.ts";

/**
 * Empties a database in one transaction. Ids start again as in a new database; times keep
 * increasing (ruling 22).
 *
 * @param keepKeys whether to keep keys and the integrations that have keys
 * @returns the record counts before the reset; undefined if the database does not exist
 * @throws SendctlError "database" if it cannot be used
 */
export async function resetDatabase(
  file: string,
  keepKeys: boolean,
): Promise<RecordCounts | undefined> {
  const path = existsSync(file) ? realpathSync(file) : file;
  // They have records, too.
  removeLeftovers(dirname(path), (name) => isLeftover(name, "restore"));
  if (!existsSync(file)) return undefined;
  return withDatabase(file, (database) => {
    // Without foreign keys and triggers, SQLite frees the pages of a table at once instead of
    // deleting row by row.
    database.pragma("foreign_keys = OFF");
    const countsBefore = database.transaction(() => deleteRecords(database, keepKeys)).immediate();
    // The database is empty even if the file does not shrink.
    settle(database, "VACUUM");
    refuseLost(database, file);
    return countsBefore;
  });
}

function deleteRecords(database: Database, keepKeys: boolean): RecordCounts {
  const countsBefore = countRecords(database);
  const triggers = database
    .prepare<[]>("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
    .all() as { name: string; sql: string }[];
  for (const { name } of triggers) database.exec(`DROP TRIGGER "${name}"`);
  database.exec(`
    DELETE FROM contact;
    DELETE FROM contact_group;
    DELETE FROM sender_id;
    DELETE FROM sqlite_sequence WHERE name IN ('contact_group', 'sender_id')`);
  if (!keepKeys) {
    database.exec(`
      DELETE FROM secret_key;
      DELETE FROM sqlite_sequence WHERE name = 'secret_key';
      UPDATE sqlite_sequence SET seq = ${defaultIntegration} WHERE name = 'integration'`);
  }
  database.exec(`
    DELETE FROM integration
    WHERE id <> ${defaultIntegration} AND id NOT IN (SELECT integration_id FROM secret_key);
    UPDATE integration SET sender_id_total = 0, contact_group_total = 0;
    UPDATE clock SET ${countTurn}`);
  for (const { sql } of triggers) database.exec(sql);
  return countsBefore;
}
