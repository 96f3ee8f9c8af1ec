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
 * The tables and columns of a copy, for any combination of stores. Each table comes after those that it
 * references. Totals are not copied; the target computes them. A test compares the columns with the real tables
 * of both stores.
 */

/** A value independent of the store. */
type CopiedValue = string | number | boolean | null | Uint8Array;
export type CopiedRow = readonly CopiedValue[];

type ColumnKind = "number" | "text" | "flag" | "bytes" | "uuid";
type CopiedColumn = readonly [name: string, kind: ColumnKind];

export interface CopiedTable {
  readonly name: "integration" | "secret_key" | "sender_id" | "contact_group" | "contact";
  readonly columns: readonly CopiedColumn[];
}

const kinds: Readonly<Record<Field["type"], ColumnKind>> = {
  integer: "number",
  boolean: "flag",
  text: "text",
  status: "text",
  uuid: "uuid",
  timestamp: "number",
};

/** Returns the stored columns of a record. References to other records are ids. */
function columnsOf(fields: Fields): readonly CopiedColumn[] {
  const stored = namesOf(fields, ({ shown }) => shown !== "lists");
  const columns = stored.map((name): CopiedColumn => {
    const { type, refersTo } = fields[name]!;
    return [name, refersTo === undefined ? kinds[type] : "number"];
  });
  return [["integration_id", "number"], ...columns];
}

const id: CopiedColumn = ["id", "number"];
const createdAt: CopiedColumn = ["created_at", "number"];

export const copiedTables: readonly CopiedTable[] = [
  { name: "integration", columns: [id, ["name", "text"], createdAt] },
  {
    name: "secret_key",
    columns: [id, ["integration_id", "number"], ["hash", "bytes"], ["ending", "text"], createdAt],
  },
  { name: "sender_id", columns: columnsOf(senderIdFields) },
  { name: "contact_group", columns: columnsOf(groupFields) },
  // Contacts get new ids, which matter only for their order.
  {
    name: "contact",
    columns: [["group_id", "number"], ...contactColumns.map((name) => [name, "text"] as const)],
  },
];

/** The tables whose ids are never reused. */
export const numberedTables = ["integration", "secret_key", "sender_id", "contact_group"] as const;

/** The last id of each table and the newest time, after which new ones continue (rulings 21 and 22). */
export type CopiedClock = Readonly<Record<(typeof numberedTables)[number] | "newest", number>>;

/** Reads a consistent snapshot of a database while other processes write. */
export interface CopyReader {
  readonly clock: () => Promise<CopiedClock>;
  /** Yields batches of rows in the order of their ids. */
  readonly rows: (table: CopiedTable) => AsyncIterable<readonly CopiedRow[]>;
}

export interface CopyWriter {
  readonly put: (table: CopiedTable, rows: readonly CopiedRow[]) => Promise<void>;
  /** Called after the last row. */
  readonly finish: (clock: CopiedClock) => Promise<void>;
}

export interface CopySource {
  /** For messages, without a password. */
  readonly name: string;
  readonly read: <Result>(use: (reader: CopyReader) => Promise<Result>) => Promise<Result>;
}

export interface CopyTarget {
  readonly name: string;
  /**
   * Runs `use` in a transaction, which an exception rolls back, on tables without any row.
   *
   * @throws SendctlError "usage" if the target has records
   */
  readonly write: <Result>(use: (writer: CopyWriter) => Promise<Result>) => Promise<Result>;
}

/** Number of rows per read and write. */
export const rowsPerBatch = 5000;

type StoredRow = Readonly<Record<string, unknown>>;

/**
 * Returns the reader of rows on either database.
 *
 * @param read reads all rows of a table in the order of their ids, in batches
 */
export function rowsReader(
  read: (table: CopiedTable["name"], columns: string) => AsyncIterable<readonly unknown[]>,
): CopyReader["rows"] {
  return async function* ({ name, columns }) {
    const names = columns.map(([column]) => column).join(", ");
    for await (const rows of read(name, names)) {
      yield (rows as readonly StoredRow[]).map((row) =>
        columns.map(([column, kind]) => copiedValue(row[column], kind)),
      );
    }
  };
}

/** Converts a value of a database. SQLite has no booleans and stores them as 0 and 1. */
function copiedValue(value: unknown, kind: ColumnKind): CopiedValue {
  return kind === "flag" && value !== null ? Boolean(value) : (value as CopiedValue);
}

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
  source: CopySource,
  target: CopyTarget,
  step: CopyStep,
): Promise<CopyReport> {
  return source.read((reader) =>
    target.write(async (writer) => {
      let copied = 0;
      const copyTable = async (table: CopiedTable): Promise<number> => {
        const before = copied;
        for await (const rows of reader.rows(table)) {
          await writer.put(table, rows);
          copied += rows.length;
          await step(copied);
        }
        return copied - before;
      };
      const counts = {} as Record<CopiedTable["name"], number>;
      for (const table of copiedTables) counts[table.name] = await copyTable(table);
      await writer.finish(await reader.clock());
      return {
        from: source.name,
        to: target.name,
        integrations: counts.integration,
        keys: counts.secret_key,
        sender_ids: counts.sender_id,
        groups: counts.contact_group,
        contacts: counts.contact,
      };
    }),
  );
}
