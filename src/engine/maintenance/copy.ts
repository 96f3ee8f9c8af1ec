import { contactColumns } from "../../contract/contacts.ts";
import { groupFields, namesOf, senderIdFields, type Fields } from "../../contract/resources.ts";
import type { RecordCounts } from "./maintenance.ts";

/** Returns the stored columns of a record. */
function columnsOf(fields: Fields): readonly string[] {
  return ["integration_id", ...namesOf(fields, ({ shown }) => shown !== "lists")];
}

/** The tables whose ids are never reused, with their columns. Each comes after those that it references. */
const numberedTables: Readonly<Record<string, readonly string[]>> = {
  integration: ["id", "name", "created_at"],
  secret_key: ["id", "integration_id", "hash", "ending", "created_at"],
  sender_id: columnsOf(senderIdFields),
  contact_group: columnsOf(groupFields),
};

export const numberedNames = Object.keys(numberedTables);

/** All tables of a copy. The target computes totals, and gives new ids to contacts, which matter only for their order. */
export const copiedTables: typeof numberedTables = {
  ...numberedTables,
  contact: ["integration_id", "group_id", ...contactColumns],
};

/** A row by column: values that either driver has read. */
export type CopiedRow = Readonly<Record<string, string | number | boolean | null | Uint8Array>>;

/** After what new records continue (rulings 21 and 22). */
export interface CopiedClock {
  /** The last id of each numbered table. */
  readonly lastIds: Readonly<Record<string, number>>;
  readonly newest: number;
}

export interface CopyReader {
  /** Yields rows in the order of their ids. */
  readonly rows: (table: string, columns: readonly string[]) => AsyncIterable<readonly CopiedRow[]>;
  readonly clock: () => Promise<CopiedClock>;
}

export interface CopyWriter {
  readonly insert: (
    table: string,
    columns: readonly string[],
    rows: readonly CopiedRow[],
  ) => Promise<void>;
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
      for (const [table, columns] of Object.entries(copiedTables)) {
        for await (const rows of reader.rows(table, columns)) {
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
