import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { SendctlError } from "../../core/error.ts";
import {
  rowsPerBatch,
  type CopiedRow,
  type CopyReader,
  type CopySide,
  type CopyWriter,
} from "../maintenance/copy.ts";
import { makeFolder } from "../../core/files.ts";
import { codeOf, databaseError } from "./connection/database-error.ts";
import { checkName, withDatabase, type Database } from "./connection/open.ts";
import { createBeside } from "./maintenance/copy-file.ts";
import { countRecords } from "./maintenance/integrity.ts";
import { raiseClock, readClock } from "./maintenance/restore.ts";

/**
 * Returns what copies from a database, or to a new one.
 *
 * @param file absolute path
 */
export function sqliteCopySide(file: string): CopySide {
  const refuse = (problem: string, hint: string, cause?: unknown): SendctlError =>
    new SendctlError("usage", `the database ${file} ${problem}`, { hint, file, cause });
  const refuseExisting = (cause?: unknown): SendctlError =>
    refuse("already exists", "copy to a new file", cause);
  return {
    name: file,

    read: async (use) => {
      if (!existsSync(file)) {
        throw refuse("does not exist", "name the database to copy with --database");
      }
      return withDatabase(file, (database) => {
        database.exec("BEGIN");
        return use(readerOf(database));
      });
    },

    write: async (use) => {
      if (existsSync(file)) throw refuseExisting();
      checkName(file);
      // Closing rolls back, or moves the log into the file.
      const fill = (partial: string) =>
        withDatabase(partial, async (database) => {
          database.exec("BEGIN IMMEDIATE; DELETE FROM integration");
          const result = await use(writerOf(database));
          database.exec("COMMIT");
          return result;
        });
      try {
        makeFolder(dirname(file));
        return await createBeside(file, "copy", false, fill);
      } catch (error) {
        // Another process has created it during the copy.
        if (codeOf(error) === "EEXIST") throw refuseExisting(error);
        throw databaseError(error, file);
      }
    },
  };
}

/** The integration of a contact, which only PostgreSQL stores beside it. */
const ownerOfContact =
  "(SELECT integration_id FROM contact_group WHERE id = group_id) AS integration_id";

function readerOf(database: Database): CopyReader {
  return {
    rows: async function* (table, columns) {
      const read = columns.map((column) =>
        table === "contact" && column === "integration_id" ? ownerOfContact : column,
      );
      const statement = database.prepare<[number]>(
        `SELECT id AS position, ${read.join()} FROM ${table} WHERE id > ? ORDER BY id LIMIT ${rowsPerBatch}`,
      );
      for (let after = 0; ;) {
        const rows = statement.all(after) as (CopiedRow & { readonly position: number })[];
        if (rows.length === 0) return;
        yield rows;
        after = rows.at(-1)!.position;
      }
    },

    clock: async () => readClock(database),
  };
}

function writerOf(database: Database): CopyWriter {
  return {
    insert: async (table, columns, rows) => {
      const own = table === "contact" ? columns.slice(1) : columns;
      const insert = database.prepare<CopiedRow[string][]>(
        `INSERT INTO ${table} (${own.join()}) VALUES (${own.map(() => "?").join()})`,
      );
      for (const row of rows) {
        const values = own.map((column) => row[column]!);
        insert.run(...values.map((value) => (typeof value === "boolean" ? Number(value) : value)));
      }
    },

    finish: async (clock) => {
      raiseClock(database, clock);
      return countRecords(database);
    },
  };
}
