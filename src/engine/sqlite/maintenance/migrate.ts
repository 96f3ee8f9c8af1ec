import { existsSync } from "node:fs";
import type { MigrationReport } from "../../maintenance/maintenance.ts";
import { migrations } from "../connection/migrations.ts";
import { openDatabase, stepsBehind } from "../connection/open.ts";
import { databaseError } from "../connection/database-error.ts";
import { openAnyReadOnly } from "./read-only.ts";

/**
 * Brings the schema of a file up to date, and creates a missing file.
 *
 * @param timeout how long to wait for other processes, in milliseconds
 * @param applies false to change nothing
 * @throws SendctlError "database" if it cannot be used
 */
export function migrateFile(file: string, timeout: number, applies: boolean): MigrationReport {
  let behind = 0;
  if (applies) openDatabase(file, timeout, { migrated: (steps) => (behind = steps) }).close();
  else behind = missingSteps(file, timeout);
  const version = migrations.length - behind;
  return {
    database: file,
    from_version: version === 0 ? null : version,
    to_version: migrations.length,
    // An SQLite file is used by programs of one version.
    compatible: behind === 0 || version === 0,
  };
}

function missingSteps(file: string, timeout: number): number {
  try {
    if (!existsSync(file)) return migrations.length;
    const { database } = openAnyReadOnly(file, timeout);
    try {
      return database.transaction(() => stepsBehind(database, file)).deferred();
    } finally {
      database.close();
    }
  } catch (error) {
    throw databaseError(error, file);
  }
}
