import { existsSync, statSync } from "node:fs";
import type { DatabaseInfo, RecordCounts } from "../../maintenance/maintenance.ts";
import { countsSql, noRecords } from "../../maintenance/shared-sql.ts";
import {
  logSize,
  openToRead,
  stepsBehind,
  withDatabase,
  type Database,
} from "../connection/open.ts";

/** Counts the records. */
export function countRecords(database: Database): RecordCounts {
  if (!hasTables(database)) return noRecords;
  return database.prepare<[]>(countsSql).get() as RecordCounts;
}

/** Returns whether a migration has run. An empty file has no tables. */
export function hasTables(database: Database): boolean {
  return database.pragma("user_version", { simple: true }) !== 0;
}

/**
 * Returns information about a database, without creating or changing it.
 *
 * @throws SendctlError "database" if it cannot be used
 */
export async function databaseInfo(file: string): Promise<DatabaseInfo> {
  if (!existsSync(file)) {
    const schema_version = null;
    return { database: file, exists: false, bytes: 0, log_bytes: 0, schema_version, ...noRecords };
  }
  const read = (database: Database): DatabaseInfo => {
    stepsBehind(database, file);
    return {
      database: file,
      exists: true,
      bytes: statSync(file).size,
      log_bytes: logSize(file),
      schema_version: database.pragma("user_version", { simple: true }) as number,
      sqlite_version: database.prepare<[]>("SELECT sqlite_version()").pluck().get() as string,
      ...countRecords(database),
    };
  };
  return withDatabase(file, read, () => openToRead(file));
}
