import type { BulkRow, InsertRows } from "../store/bulk.ts";
import { tableColumns } from "../store/stored.ts";

/**
 * Maintenance of the embedded database as a whole: info, check, reset, backup and restore.
 *
 * Any method throws a SendctlError of kind "database" if the database cannot be used.
 */

/** Numbers of records in a database. */
export interface RecordCounts {
  readonly integrations: number;
  readonly keys: number;
  readonly sender_ids: number;
  readonly groups: number;
  readonly contacts: number;
}

export const noRecords: RecordCounts = {
  integrations: 0,
  keys: 0,
  sender_ids: 0,
  groups: 0,
  contacts: 0,
};

/** Counts the records, as `RecordCounts`. It reads stored totals where there are some. */
export const countsSql = `
  SELECT count(*) AS integrations, (SELECT count(*) FROM secret_key) AS keys,
    CAST(coalesce(sum(sender_id_total), 0) AS bigint) AS sender_ids,
    CAST(coalesce(sum(contact_group_total), 0) AS bigint) AS "groups",
    (SELECT CAST(coalesce(sum(contacts_count), 0) AS bigint) FROM contact_group) AS contacts
  FROM integration`;

/** Facts about a database. */
export interface DatabaseInfo extends RecordCounts {
  readonly database: string;
  /** False if no command has created it yet; all counts are then 0. */
  readonly exists: boolean;
  /** Size of the SQLite file or of the PostgreSQL tables. */
  readonly bytes: number;
  /** Size of the write-ahead log. */
  readonly log_bytes?: number;
  readonly schema_version: number | null;
  readonly sqlite_version?: string;
  readonly postgres_version?: string;
}

export interface IntegrityProblem {
  /** The check that found it: schema, integrity, references or clock. */
  readonly check: string;
  readonly detail: string;
}

export interface CheckReport {
  readonly database: string;
  readonly exists: boolean;
  /** Names of the checks that ran. */
  readonly checks: readonly string[];
  readonly problem_count: number;
  /** At most the first 100. */
  readonly problems: readonly IntegrityProblem[];
  /** What to do about the problems. */
  readonly hint: string;
}

/** Result of a backup. */
export interface BackupReport extends RecordCounts {
  readonly file: string;
  readonly bytes: number;
}

/**
 * Called once a backup has passed its checks. If it throws, nothing is restored.
 *
 * @param counts what the backup has
 * @param current what the restore replaces: undefined if the database does not exist yet, "damaged"
 *   if it cannot be counted
 * @param kept what an earlier restore has kept, which the restore replaces
 */
export type ConfirmRestore = (
  counts: RecordCounts,
  current: RecordCounts | "damaged" | undefined,
  kept: KeptDatabase | undefined,
) => Promise<void>;

/** The database that a restore has replaced. */
export interface KeptDatabase {
  readonly file: string;
  /** When it was last changed, in milliseconds since 1970. */
  readonly changed: number;
}

export interface RestoreReport extends RecordCounts {
  readonly database: string;
  readonly file: string;
  /** Path of the old database; null if there was none. */
  readonly kept_database: string | null;
}

export interface Maintenance {
  /** Creates nothing. */
  readonly info: () => Promise<DatabaseInfo>;
  /** Changes nothing. @throws SendctlError "cancelled", "terminated" */
  readonly check: () => Promise<CheckReport>;
  /** Returns whether the database issued a key, by its SHA-256 hash. Changes nothing. */
  readonly knowsKey: (hash: Uint8Array) => Promise<boolean>;
  /**
   * Deletes all records. Ids start again at 1; the clock keeps rising (ruling 22).
   *
   * @param keepKeys whether to keep keys and the integrations that have keys
   * @returns the deleted counts; undefined if the database does not exist yet
   */
  readonly reset: (keepKeys: boolean) => Promise<RecordCounts | undefined>;
  /**
   * Copies a snapshot of the database to a file.
   *
   * @param replaces whether to replace an existing file
   * @throws SendctlError "usage" for an unusable path, "cancelled", "terminated"
   */
  readonly backup: (file: string, replaces: boolean) => Promise<BackupReport>;
  /**
   * Replaces the database with a checked backup. Atomic, even if the process is killed.
   *
   * @throws SendctlError "usage" for an unusable path, "database" for a file that is not an intact
   *   sendctl database, and while another process has it open, "cancelled", "terminated"
   */
  readonly restore: (file: string, confirm: ConfirmRestore) => Promise<RestoreReport>;
  /** Returns the database that the last restore has replaced; a reset removes it. */
  readonly kept?: () => KeptDatabase | undefined;
}

/** After what new records continue: the last id of each table, the newest time (rulings 21, 22). */
export type CopiedClock = Readonly<Record<string, number>>;

interface CopyReader {
  /** Yields the rows that a statement reads. */
  readonly rows: (sql: string) => AsyncIterable<BulkRow[]> | Iterable<BulkRow[]>;
  readonly clock: () => Promise<CopiedClock>;
}

interface CopyWriter {
  readonly insert: InsertRows;
  /** Called after the last row. Returns the numbers of records. */
  readonly finish: (clock: CopiedClock) => Promise<RecordCounts>;
}

/** A database that can be copied, or copied to. */
export interface CopySide {
  /** For messages, without a password. */
  readonly name: string;
  /** Runs `use` on a consistent snapshot, while other processes write. */
  readonly read: <Result>(use: (reader: CopyReader) => Promise<Result>) => Promise<Result>;
  /**
   * Runs `use` in a transaction, which an exception rolls back, on tables without any row.
   *
   * @throws SendctlError "usage" if the database has records
   */
  readonly write: <Result>(use: (writer: CopyWriter) => Promise<Result>) => Promise<Result>;
}

/** Number of rows per read and write. */
export const rowsPerBatch = 5000;

/** Numbers of copied records. */
export interface CopyReport extends RecordCounts {
  readonly from: string;
  readonly to: string;
}

/** Reports the number of rows copied so far. If it throws, the copy ends with an empty target. */
export type CopyStep = (rows: number) => Promise<void>;

/** Returns the statement that reads a table by id. Only PostgreSQL has a contact's integration. */
function readSql(table: string, columns: readonly string[]): string {
  const isContact = table === "contact";
  const names = columns.map((column) =>
    isContact && column === "integration_id" ? `contact_group.${column}` : `${table}.${column}`,
  );
  const join = isContact ? "JOIN contact_group ON contact_group.id = contact.group_id" : "";
  return `SELECT ${names.join()} FROM ${table} ${join} ORDER BY ${table}.id`;
}

/**
 * Copies a database to an empty one in one transaction. Ids, uuids, times and keys stay the same,
 * and new ones continue after them.
 *
 * @throws SendctlError "usage" if the target has records, "database" if one database is unusable
 */
export function copyDatabase(
  source: CopySide,
  target: CopySide,
  step: CopyStep,
): Promise<CopyReport> {
  return source.read((reader) =>
    target.write(async (writer) => {
      let copied = 0;
      for (const [table, columns] of Object.entries(tableColumns)) {
        for await (const rows of reader.rows(readSql(table, columns))) {
          await writer.insert(table, columns, rows);
          copied += rows.length;
          await step(copied);
        }
      }
      const counts = await writer.finish(await reader.clock());
      return { from: source.name, to: target.name, ...counts };
    }),
  );
}
