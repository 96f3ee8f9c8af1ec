import { existsSync, statSync } from "node:fs";
import type { DatabaseInfo, RecordCounts } from "../../maintenance/maintenance.ts";
import {
  countsSql,
  factsOf,
  factsSql,
  noFacts,
  noRecords,
  type FactsRow,
} from "../../maintenance/shared-sql.ts";
import { connect } from "../connection/connect.ts";
import {
  logSize,
  openToRead,
  stepsBehind,
  withDatabase,
  type Database,
} from "../connection/open.ts";

/** Every row is visible. */
const visible = { integration: "true", sender_id: "true", contact_group: "true" };

/** Counts the records. */
export function countRecords(database: Database): RecordCounts {
  return hasTables(database)
    ? (database.prepare<[]>(countsSql(visible)).get() as RecordCounts)
    : noRecords;
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
    const version = await withDatabase(file, versionOf, () => connect(":memory:"));
    return { ...missingDatabase(file), sqlite_version: version };
  }
  const read = (database: Database): DatabaseInfo =>
    database
      .transaction(() => {
        stepsBehind(database, file);
        return {
          ...missingDatabase(file),
          exists: true,
          bytes: statSync(file).size,
          log_bytes: logSize(file),
          schema_version: database.pragma("user_version", { simple: true }) as number,
          sqlite_version: versionOf(database),
          journal_mode: database.pragma("journal_mode", { simple: true }) as string,
          ...countRecords(database),
          ...(hasTables(database)
            ? factsOf(database.prepare<[]>(factsSql(visible)).get() as FactsRow)
            : noFacts),
        };
      })
      .deferred();
  return withDatabase(file, read, () => openToRead(file));
}

function missingDatabase(database: string): Omit<DatabaseInfo, "sqlite_version"> {
  return {
    database,
    exists: false,
    bytes: 0,
    log_bytes: 0,
    schema_version: null,
    journal_mode: null,
    ...noRecords,
    ...noFacts,
  };
}

function versionOf(database: Database): string {
  return database.prepare<[]>("SELECT sqlite_version()").pluck().get() as string;
}
