import { contactColumns } from "../../contract/contacts.ts";
import {
  groupFields,
  namesOf,
  senderIdFields,
  type Field,
  type Fields,
} from "../../contract/resources.ts";
import type { RecordCounts } from "./maintenance.ts";

/**
 * The tables and columns of a copy, for any combination of databases. Each table comes after those that it
 * references. Totals are not copied; the target computes them. A test compares the columns with the real tables
 * of both databases.
 */

/** The type of a column on PostgreSQL. SQLite takes every value as it is, and booleans as 0 and 1. */
type ColumnType = "bigint" | "text" | "boolean" | "bytea" | "uuid";

export interface CopiedTable {
  readonly name: string;
  readonly columns: Readonly<Record<string, ColumnType>>;
}

const types: Readonly<Record<Field["type"], ColumnType>> = {
  integer: "bigint",
  boolean: "boolean",
  text: "text",
  status: "text",
  uuid: "uuid",
  timestamp: "bigint",
};

/** Returns the stored columns of a record. References to other records are ids. */
function columnsOf(fields: Fields): CopiedTable["columns"] {
  const stored = namesOf(fields, ({ shown }) => shown !== "lists");
  const columns = stored.map((name) => {
    const { type, refersTo } = fields[name]!;
    return [name, refersTo === undefined ? types[type] : "bigint"] as const;
  });
  return { integration_id: "bigint", ...Object.fromEntries(columns) };
}

const common = { id: "bigint", created_at: "bigint" } as const;

/** The tables whose ids are never reused. */
const numberedTables: readonly CopiedTable[] = [
  { name: "integration", columns: { ...common, name: "text" } },
  {
    name: "secret_key",
    columns: { ...common, integration_id: "bigint", hash: "bytea", ending: "text" },
  },
  { name: "sender_id", columns: columnsOf(senderIdFields) },
  { name: "contact_group", columns: columnsOf(groupFields) },
];

export const numberedNames = numberedTables.map(({ name }) => name);

export const copiedTables: readonly CopiedTable[] = [
  ...numberedTables,
  // Contacts get new ids, which matter only for their order.
  {
    name: "contact",
    columns: {
      group_id: "bigint",
      ...Object.fromEntries(contactColumns.map((name) => [name, "text"])),
    },
  },
];

/** A row by column: values that either driver has read and both take. */
export type CopiedRow = Readonly<Record<string, string | number | boolean | null | Uint8Array>>;

/** After what new records continue (rulings 21 and 22). */
export interface CopiedClock {
  /** The last id of each numbered table. */
  readonly lastIds: Readonly<Record<string, number>>;
  readonly newest: number;
}

export interface CopyReader {
  /** Yields batches of rows, those of a group in the order of their ids. */
  readonly rows: (table: CopiedTable) => AsyncIterable<readonly CopiedRow[]>;
  readonly clock: () => Promise<CopiedClock>;
}

export interface CopyWriter {
  readonly insert: (table: CopiedTable, rows: readonly CopiedRow[]) => Promise<void>;
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
      for (const table of copiedTables) {
        for await (const rows of reader.rows(table)) {
          await writer.insert(table, rows);
          copied += rows.length;
          await step(copied);
        }
      }
      const counts = await writer.finish(await reader.clock());
      return { from: source.name, to: target.name, ...counts };
    }),
  );
}
