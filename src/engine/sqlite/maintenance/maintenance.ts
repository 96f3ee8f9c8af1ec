import { existsSync, realpathSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { SendctlError } from "../../../core/error.ts";
import { isLeftover, removeLeftovers } from "../../../core/own-file.ts";
import type { Maintenance, RecordCounts } from "../../maintenance/maintenance.ts";
import { defaultIntegration } from "../../store/store.ts";
import { refuseLost } from "../connection/connect.ts";
import { withDatabase, type Database } from "../connection/open.ts";
import { backUp } from "./backup.ts";
import { checkDatabase, countRecords, databaseInfo, knowsKey } from "./integrity.ts";
import { keptDatabase, removeKept, restoreDatabase } from "./restore.ts";

/**
 * Returns the maintenance operations for the database at `file`, an absolute path. Each opens the database when called, and
 * closes it again.
 *
 * @param folder the folder that relative paths of other files start from
 * @param signal returns the signal that stops copies; its reason is "SIGINT" or "SIGTERM"
 */
export function createMaintenance(
  file: string,
  folder: string,
  signal: () => AbortSignal,
): Maintenance {
  const pathOf = (given: string): string => {
    if (given === "") throw new SendctlError("usage", "FILE is empty", { hint: "name a file" });
    return resolve(folder, given);
  };
  return {
    info: async () => databaseInfo(file),
    check: async (isQuick) => checkDatabase(file, isQuick),
    knowsKey: async (hash) => knowsKey(file, hash),
    reset: async (keepKeys) => resetDatabase(file, keepKeys),
    backup: async (target, replaces) => backUp(file, pathOf(target), replaces, signal()),
    restore: async (source, confirm) => restoreDatabase(file, pathOf(source), signal(), confirm),
    kept: () => keptDatabase(file),
  };
}

/**
 * Empties a database in one transaction, and removes the one that a restore has kept. Ids start again as in a new database;
 * times keep increasing (ruling 22).
 *
 * @param keepKeys whether to keep keys and the integrations that have keys
 * @returns the record counts before the reset; undefined if the database does not exist
 * @throws SendctlError "database" if it cannot be used
 */
async function resetDatabase(file: string, keepKeys: boolean): Promise<RecordCounts | undefined> {
  // They have records, too.
  const path = existsSync(file) ? realpathSync(file) : file;
  removeLeftovers(dirname(path), (name) => isLeftover(name, "restore"));
  removeKept(file);
  if (!existsSync(file)) return undefined;
  return withDatabase(file, (database) => {
    // Without foreign keys and triggers, SQLite frees the pages of a table at once instead of deleting row by row.
    database.pragma("foreign_keys = OFF");
    const countsBefore = database.transaction(() => deleteRecords(database, keepKeys)).immediate();
    shrink(database);
    refuseLost(database, file);
    return countsBefore;
  });
}

/** How long to wait for other processes before giving up on what can also be done later, in milliseconds. */
const shrinkTimeout = 500;

/** Makes the file as small as its content, unless another process prevents that: the database is empty in any case. */
function shrink(database: Database): void {
  try {
    database.pragma(`busy_timeout = ${shrinkTimeout}`);
    database.exec("VACUUM");
    database.pragma("wal_checkpoint(TRUNCATE)");
  } catch {
    // The next process that uses the database moves the log.
  }
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
    UPDATE integration SET sender_id_total = 0, contact_group_total = 0`);
  for (const { sql } of triggers) database.exec(sql);
  return countsBefore;
}
