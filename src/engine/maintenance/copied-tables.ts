import { contactColumns } from "../../contract/contacts.ts";
import {
  groupFields,
  namesOf,
  senderIdFields,
  type Field,
  type Fields,
} from "../../contract/resources.ts";

/**
 * What a copy of a database is made of, whatever it is copied from and to: tables in an order in which
 * each comes after those that it refers to, and their columns. Totals are not part of it: the target counts.
 * A test compares the columns with the real tables of both stores.
 */

/** Neither SQLite's nor PostgreSQL's own: a hash is in hexadecimal. */
export type CopiedValue = string | number | boolean | null;
export type CopiedRow = readonly CopiedValue[];

type ColumnKind = "number" | "text" | "flag" | "bytes" | "uuid";
type CopiedColumn = readonly [name: string, kind: ColumnKind];

export interface CopiedTable {
  readonly name: "integration" | "secret_key" | "sender_id" | "contact_group" | "contact";
  readonly columns: readonly CopiedColumn[];
  /** Whether its ids are copied. A contact's says only in which order they came. */
  readonly keepsIds: boolean;
}

const kinds: Readonly<Record<Field["type"], ColumnKind>> = {
  integer: "number",
  boolean: "flag",
  text: "text",
  status: "text",
  uuid: "uuid",
  timestamp: "number",
};

/** What is stored of a record, and of which integration it is; a record refers to another by its id. */
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
  { name: "integration", keepsIds: true, columns: [id, ["name", "text"], createdAt] },
  {
    name: "secret_key",
    keepsIds: true,
    columns: [id, ["integration_id", "number"], ["hash", "bytes"], ["ending", "text"], createdAt],
  },
  { name: "sender_id", keepsIds: true, columns: columnsOf(senderIdFields) },
  { name: "contact_group", keepsIds: true, columns: columnsOf(groupFields) },
  {
    name: "contact",
    keepsIds: false,
    columns: [["group_id", "number"], ...contactColumns.map((name) => [name, "text"] as const)],
  },
];

/** Where ids and times go on: rulings 21 and 22. */
export interface CopiedClock {
  readonly newest: number;
  readonly integration: number;
  readonly secretKey: number;
  readonly senderId: number;
  readonly group: number;
}

/** One state of a database, whoever writes meanwhile. */
export interface CopyReader {
  readonly clock: () => Promise<CopiedClock>;
  /** In order of their ids, many at a time. */
  readonly rows: (table: CopiedTable) => AsyncIterable<readonly CopiedRow[]>;
}

export interface CopyWriter extends CopyReader {
  /** Whether there is nothing of anybody's in it: the default integration is always there. */
  readonly isEmpty: () => Promise<boolean>;
  /** Takes away the default integration, which is copied like any other. */
  readonly clear: () => Promise<void>;
  readonly put: (table: CopiedTable, rows: readonly CopiedRow[]) => Promise<void>;
  /** Called once all is put in. */
  readonly finish: (clock: CopiedClock) => Promise<void>;
}

export interface CopySource {
  /** Without a password. */
  readonly name: string;
  readonly read: <Result>(use: (reader: CopyReader) => Promise<Result>) => Promise<Result>;
}

export interface CopyTarget {
  readonly name: string;
  /** All or nothing: what is thrown undoes it. */
  readonly write: <Result>(use: (writer: CopyWriter) => Promise<Result>) => Promise<Result>;
}

/** Rows that are read and written at a time. */
export const rowsPerBatch = 5000;
