import type { BulkRow, InsertRows } from "../store/bulk.ts";
import { tableColumns } from "../store/stored.ts";
import type { RecordCounts } from "./maintenance.ts";

/** After what new records continue: the last id of each numbered table, and the newest time (rulings 21 and 22). */
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

/** Reports the number of rows copied so far. If it throws, the copy ends and the target stays empty. */
export type CopyStep = (rows: number) => Promise<void>;

/** Returns the statement that reads a table in the order of its ids. Only PostgreSQL stores the integration of a contact. */
function readSql(table: string, columns: readonly string[]): string {
  const isContact = table === "contact";
  const names = columns.map((column) =>
    isContact && column === "integration_id" ? `contact_group.${column}` : `${table}.${column}`,
  );
  const join = isContact ? "JOIN contact_group ON contact_group.id = contact.group_id" : "";
  return `SELECT ${names.join()} FROM ${table} ${join} ORDER BY ${table}.id`;
}

/**
 * Copies a database to an empty one in one transaction. Ids, uuids, times and keys stay the same, and new ones
 * continue after them.
 *
 * @throws SendctlError "usage" if the target has records, "database" if one of the databases cannot be used
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
