import { createHash, type Hash } from "node:crypto";
import { SendctlError } from "../../core/error.ts";
import { contactColumns } from "../../contract/contacts.ts";
import {
  groupFields,
  namesOf,
  senderIdFields,
  type Field,
  type Fields,
} from "../../contract/resources.ts";
import { defaultIntegration } from "../store/store.ts";
import type { RecordCounts } from "./maintenance.ts";

/**
 * The tables and columns of a copy, for any combination of stores. Each table comes after those that it
 * references. Totals are not copied; the target computes them. A test compares the columns with the real tables
 * of both stores.
 */

/** A value independent of the store. A hash is in hexadecimal. */
export type CopiedValue = string | number | boolean | null;
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

/** The last ids and the newest time, after which new ones continue (rulings 21 and 22). */
export interface CopiedClock {
  readonly newest: number;
  readonly integration: number;
  readonly secretKey: number;
  readonly senderId: number;
  readonly group: number;
}

/** Reads a consistent snapshot of a database while other processes write. */
export interface CopyReader {
  readonly clock: () => Promise<CopiedClock>;
  /** Yields batches of rows in the order of their ids. */
  readonly rows: (table: CopiedTable) => AsyncIterable<readonly CopiedRow[]>;
}

export interface CopyWriter extends CopyReader {
  /** Returns whether there are no records apart from the default integration. */
  readonly isEmpty: () => Promise<boolean>;
  /** Deletes the default integration, which is then copied like any other. */
  readonly clear: () => Promise<void>;
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
  /** Runs `use` in a transaction, which an exception rolls back. */
  readonly write: <Result>(use: (writer: CopyWriter) => Promise<Result>) => Promise<Result>;
}

/** Number of rows per read and write. */
const rowsPerBatch = 5000;

type StoredRow = Readonly<Record<string, unknown>> & { readonly position: number };

/**
 * Returns the reader of rows on either database.
 *
 * @param select runs a statement whose only value is $1
 * @param visible conditions for rows that are not deleted, by table
 */
export function rowsReader(
  select: (sql: string, after: number) => Promise<readonly unknown[]>,
  visible: Readonly<Record<CopiedTable["name"], string>>,
): CopyReader["rows"] {
  return async function* ({ name, columns }) {
    const names = columns.map(([column]) => column).join(", ");
    const sql = `SELECT id AS position, ${names} FROM ${name}
                 WHERE id > $1 AND ${visible[name]} ORDER BY id LIMIT ${rowsPerBatch}`;
    for (let after = 0; ;) {
      const rows = (await select(sql, after)) as readonly StoredRow[];
      if (rows.length === 0) return;
      yield rows.map((row) => columns.map(([column, kind]) => copiedValue(row[column], kind)));
      after = rows.at(-1)!.position;
    }
  };
}

/** Converts a value of a database. SQLite has no booleans and stores them as 0 and 1. */
function copiedValue(value: unknown, kind: ColumnKind): CopiedValue {
  if (value === null) return null;
  if (kind === "flag") return Boolean(value);
  return kind === "bytes" ? Buffer.from(value as Uint8Array).toString("hex") : (value as string);
}

/** Returns a row if the database has records apart from the default integration. */
export const anyRecord = `
  SELECT 1 AS found FROM integration WHERE id <> ${defaultIntegration}
  UNION ALL SELECT 1 FROM secret_key UNION ALL SELECT 1 FROM sender_id
  UNION ALL SELECT 1 FROM contact_group LIMIT 1`;

/** Numbers of copied records, counted in the copy. */
export interface CopyReport extends RecordCounts {
  readonly from: string;
  readonly to: string;
}

/** Reports progress. If it throws, the copy ends and the target stays empty. */
export type CopyStep = (done: "copied" | "checked", rows: number) => Promise<void>;

/** Row count of a table and hash of its content. */
interface Sum {
  readonly count: number;
  readonly hash: string;
}

/**
 * Copies a database to an empty one in one transaction. Before the commit, reads the whole copy back and compares
 * it with the source. Ids, uuids, times and keys stay the same, and new ones continue after them.
 *
 * @throws SendctlError "usage" if the target is not empty, "database" if the copy differs from the source or one
 *   of the databases cannot be used
 */
export function copyDatabase(
  source: CopySource,
  target: CopyTarget,
  step: CopyStep,
): Promise<CopyReport> {
  return source.read((reader) =>
    target.write(async (writer) => {
      if (!(await writer.isEmpty())) {
        throw new SendctlError("usage", `the database ${target.name} already contains records`, {
          hint: "copy to a new database, or reset that one first (sendctl local reset)",
        });
      }
      await writer.clear();
      const read = new Map<CopiedTable, Sum>();
      let rows = 0;
      for (const table of copiedTables) {
        read.set(
          table,
          await sumOf(reader, table, async (batch) => {
            await writer.put(table, batch);
            rows += batch.length;
            await step("copied", rows);
          }),
        );
      }
      await writer.finish(await reader.clock());
      rows = 0;
      const counts = {} as Record<CopiedTable["name"], number>;
      for (const table of copiedTables) {
        const copy = await sumOf(writer, table, async (batch) => {
          rows += batch.length;
          await step("checked", rows);
        });
        const original = read.get(table)!;
        if (copy.count !== original.count || copy.hash !== original.hash) {
          throw differs(target.name, table.name, original.count, copy.count);
        }
        counts[table.name] = copy.count;
      }
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

async function sumOf(
  reader: CopyReader,
  table: CopiedTable,
  each: (rows: readonly CopiedRow[]) => Promise<void>,
): Promise<Sum> {
  const hash: Hash = createHash("sha256");
  let count = 0;
  for await (const rows of reader.rows(table)) {
    for (const row of rows) hash.update(`${JSON.stringify(row)}\n`);
    count += rows.length;
    await each(rows);
  }
  return { count, hash: hash.digest("hex") };
}

function differs(target: string, table: string, original: number, copy: number): SendctlError {
  return new SendctlError(
    "database",
    `the copy in ${target} differs from the original and was undone ` +
      `(${table}: ${original} rows, ${copy} in the copy)`,
    { hint: "try again, and report it if it happens again", database: "copy" },
  );
}
