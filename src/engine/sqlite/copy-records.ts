import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { setImmediate } from "node:timers/promises";
import { SendctlError } from "../../core/error.ts";
import {
  numberedTables,
  rowsPerBatch,
  rowsReader,
  type CopiedClock,
  type CopiedRow,
  type CopiedTable,
  type CopyReader,
  type CopySource,
  type CopyTarget,
  type CopyWriter,
} from "../maintenance/copy.ts";
import { makeFolder } from "../../core/files.ts";
import { codeOf, databaseError } from "./connection/database-error.ts";
import { checkName, withDatabase, type Database } from "./connection/open.ts";
import { createFileBeside, moveIntoPlace, removeWithLogs } from "./maintenance/copy-file.ts";
import { countTurn } from "./connection/mark.ts";

type SqliteValue = string | number | null | Uint8Array;

/**
 * Returns a source that copies from a database.
 *
 * @param file absolute path of an existing database
 */
export function sqliteCopySource(file: string): CopySource {
  return {
    name: file,
    read: async (use) => {
      if (!existsSync(file)) {
        throw new SendctlError("usage", `the database ${file} does not exist`, {
          hint: "name the database to copy with --database",
          file,
        });
      }
      return withDatabase(file, (database) => {
        database.exec("BEGIN");
        return use(readerOf(database));
      });
    },
  };
}

/**
 * Returns a target that copies to a new database. It is created under a temporary name and renamed when it is complete.
 *
 * @param file absolute path
 */
export function sqliteCopyTarget(file: string): CopyTarget {
  const refuseExisting = (cause?: unknown): SendctlError =>
    new SendctlError("usage", `the database ${file} already exists`, {
      hint: "copy to a new file",
      file,
      cause,
    });
  return {
    name: file,
    write: async (use) => {
      if (existsSync(file)) throw refuseExisting();
      checkName(file);
      let partial: string | undefined;
      try {
        makeFolder(dirname(file));
        partial = createFileBeside(file, "copy");
        const result = await writeTo(partial, use);
        moveIntoPlace(partial, file, false);
        return result;
      } catch (error) {
        // Another process has created it during the copy.
        if (codeOf(error) === "EEXIST") throw refuseExisting(error);
        throw databaseError(error, file);
      } finally {
        if (partial !== undefined) removeWithLogs(partial);
      }
    },
  };
}

/** Writes in one transaction, which closing rolls back. Closing moves the log into the file. */
function writeTo<Result>(
  file: string,
  use: (writer: CopyWriter) => Promise<Result>,
): Promise<Result> {
  return withDatabase(file, async (database) => {
    database.exec("BEGIN IMMEDIATE; DELETE FROM integration");
    const result = await use(writerOf(database));
    database.exec("COMMIT");
    return result;
  });
}

function readerOf(database: Database): CopyReader {
  return {
    clock: async () => {
      const last = database.prepare<[]>("SELECT name, seq FROM sqlite_sequence").raw().all() as [
        string,
        number,
      ][];
      const newest = database.prepare<[]>("SELECT newest FROM clock").pluck().get() as number;
      const none = Object.fromEntries(numberedTables.map((table) => [table, 0]));
      return { ...none, ...Object.fromEntries(last), newest } as CopiedClock;
    },

    rows: rowsReader(async function* (table, columns) {
      const read = database.prepare<[number]>(
        `SELECT id AS position, ${columns} FROM ${table} WHERE id > ? ORDER BY id LIMIT ${rowsPerBatch}`,
      );
      for (let after = 0; ;) {
        // Signals are delivered between two turns of the event loop.
        await setImmediate();
        const rows = read.all(after) as { readonly position: number }[];
        if (rows.length === 0) return;
        yield rows;
        after = rows.at(-1)!.position;
      }
    }),
  };
}

function writerOf(database: Database): CopyWriter {
  return {
    put: async ({ name, columns }: CopiedTable, rows: readonly CopiedRow[]) => {
      const names = columns.map(([column]) => column).join(", ");
      const parameters = columns.map(() => "?").join(", ");
      const insert = database.prepare<SqliteValue[]>(
        `INSERT INTO ${name} (${names}) VALUES (${parameters})`,
      );
      for (const row of rows) {
        insert.run(...row.map((value) => (typeof value === "boolean" ? Number(value) : value)));
      }
    },

    finish: async (clock: CopiedClock) => {
      database.prepare(`UPDATE clock SET newest = ?, ${countTurn}`).run(clock.newest);
      database.exec("DELETE FROM sqlite_sequence");
      const insert = database.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)");
      for (const table of numberedTables) insert.run(table, clock[table]);
    },
  };
}
