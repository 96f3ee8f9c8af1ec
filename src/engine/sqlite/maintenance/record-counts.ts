import { existsSync, statSync } from "node:fs";
import type { DatabaseInfo, RecordCounts } from "../../maintenance/maintenance.ts";
import type { Microseconds } from "../../store.ts";
import { timestamp } from "../../records.ts";
import { connect } from "../connection/connect.ts";
import { databaseError } from "../connection/database-error.ts";
import { openAnyReadOnly } from "./read-only.ts";
import { logSize, stepsBehind, type Database } from "../connection/open.ts";

const noRecords: RecordCounts = {
  integrations: 0,
  keys: 0,
  sender_ids: 0,
  groups: 0,
  contacts: 0,
};

/**
 * Counts the records. Sender IDs and groups come from the stored totals, so their rows are not
 * read.
 */
export function countRecords(database: Database): RecordCounts {
  if (database.pragma("user_version", { simple: true }) === 0) return noRecords;
  return database
    .prepare<[]>(
      `SELECT count(*) AS integrations, (SELECT count(*) FROM secret_key) AS keys,
         coalesce(sum(sender_id_total), 0) AS sender_ids,
         coalesce(sum(contact_group_total), 0) AS groups,
         (SELECT count(*) FROM contact) AS contacts
       FROM integration`,
    )
    .get() as RecordCounts;
}

/**
 * Returns information about a database, without creating or changing it.
 *
 * @param timeout how long to wait for other processes, in milliseconds
 * @throws SendctlError "database" if it cannot be used
 */
export function databaseInfo(file: string, timeout: number): DatabaseInfo {
  try {
    if (!existsSync(file)) return { ...missingDatabase(file), sqlite_version: sqliteVersion() };
    const { database, journalMode } = openAnyReadOnly(file, timeout);
    try {
      return database
        .transaction(() => {
          stepsBehind(database, file);
          return {
            ...missingDatabase(file),
            exists: true,
            bytes: statSync(file).size,
            log_bytes: logSize(file),
            schema_version: database.pragma("user_version", { simple: true }) as number,
            sqlite_version: versionOf(database),
            journal_mode: journalMode,
            ...countRecords(database),
            ...statusesOf(database),
            ...timesOf(database),
          };
        })
        .deferred();
    } catch (error) {
      throw databaseError(error, file, database);
    } finally {
      database.close();
    }
  } catch (error) {
    throw databaseError(error, file);
  }
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
    sender_ids_pending: 0,
    sender_ids_approved: 0,
    sender_ids_rejected: 0,
    oldest_created_at: null,
    newest_created_at: null,
  };
}

function sqliteVersion(): string {
  const database = connect(":memory:");
  try {
    return versionOf(database);
  } finally {
    database.close();
  }
}

function versionOf(database: Database): string {
  return database.prepare<[]>("SELECT sqlite_version()").pluck().get() as string;
}

function statusesOf(database: Database): object {
  if (database.pragma("user_version", { simple: true }) === 0) return {};
  const rows = database
    .prepare<[]>("SELECT status, count(*) AS count FROM sender_id GROUP BY status")
    .all() as { readonly status: string; readonly count: number }[];
  return Object.fromEntries(
    rows.map(({ status, count }) => [`sender_ids_${status.toLowerCase()}`, count]),
  );
}

/** Returns the oldest and newest creation times. Times increase with the ids (ruling 22). */
function timesOf(database: Database): object {
  if (database.pragma("user_version", { simple: true }) === 0) return {};
  const times = (order: "ASC" | "DESC"): Microseconds[] =>
    ["sender_id", "contact_group"].flatMap(
      (table) =>
        database
          .prepare<[]>(`SELECT created_at FROM ${table} ORDER BY id ${order} LIMIT 1`)
          .pluck()
          .all() as Microseconds[],
    );
  const [oldest, newest] = [times("ASC"), times("DESC")];
  if (oldest.length === 0) return {};
  return {
    oldest_created_at: timestamp(Math.min(...oldest)),
    newest_created_at: timestamp(Math.max(...newest)),
  };
}
