import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { setImmediate } from "node:timers/promises";
import { SendctlError } from "../../core/error.ts";
import {
  anyRecord,
  rowsReader,
  type CopiedClock,
  type CopiedRow,
  type CopiedTable,
  type CopiedValue,
  type CopyReader,
  type CopySource,
  type CopyTarget,
  type CopyWriter,
} from "../maintenance/copy.ts";
import { makeFolder } from "../../core/files.ts";
import { databaseError } from "./connection/database-error.ts";
import { checkName, withDatabase, type Database } from "./connection/open.ts";
import { createFileBeside, moveIntoPlace, removeWithLogs } from "./maintenance/copy-file.ts";
import { countTurn } from "./connection/mark.ts";
import { refuseReplaced } from "./connection/connect.ts";

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
 * Returns a target that copies to a database. A missing database is created under a temporary name
 * and renamed when it is complete: a copy that fails must not remove a file that others have begun
 * to use.
 *
 * @param file absolute path
 */
export function sqliteCopyTarget(file: string): CopyTarget {
  return {
    name: file,
    write: async (use) => {
      if (existsSync(file)) return writeTo(file, use);
      checkName(file);
      let partial: string | undefined;
      try {
        makeFolder(dirname(file));
        partial = createFileBeside(file, "copy");
        const result = await writeTo(partial, use);
        moveIntoPlace(partial, file, false);
        return result;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw databaseError(error, file);
        throw new SendctlError("usage", `${file} was created by another process during the copy`, {
          hint: "use another file",
          file,
          cause: error,
        });
      } finally {
        if (partial !== undefined) removeWithLogs(partial);
      }
    },
  };
}

/** Writes in one transaction, which closing rolls back. Leaves no log unless another process has the file open. */
function writeTo<Result>(
  file: string,
  use: (writer: CopyWriter) => Promise<Result>,
): Promise<Result> {
  return withDatabase(file, async (database) => {
    database.exec("BEGIN IMMEDIATE");
    const result = await use(writerOf(database));
    database.exec("COMMIT");
    refuseReplaced(database, file, true);
    return result;
  });
}

/** Every row is visible. */
const visible = {
  integration: "true",
  secret_key: "true",
  sender_id: "true",
  contact_group: "true",
  contact: "true",
};

function readerOf(database: Database): CopyReader {
  const lastOf = (table: string): number =>
    (database
      .prepare<[string]>("SELECT seq FROM sqlite_sequence WHERE name = ?")
      .pluck()
      .get(table) as number | undefined) ?? 0;
  return {
    clock: async () => ({
      newest: database.prepare<[]>("SELECT newest FROM clock").pluck().get() as number,
      integration: lastOf("integration"),
      secretKey: lastOf("secret_key"),
      senderId: lastOf("sender_id"),
      group: lastOf("contact_group"),
    }),

    rows: rowsReader(async (sql, after) => {
      // Signals are delivered between two turns of the event loop.
      await setImmediate();
      return database.prepare<[object]>(sql).all({ 1: after });
    }, visible),
  };
}

type Kind = CopiedTable["columns"][number][1];

function sqliteValue(value: CopiedValue, kind: Kind): SqliteValue {
  if (kind === "bytes") return Buffer.from(value as string, "hex");
  return typeof value === "boolean" ? Number(value) : value;
}

function writerOf(database: Database): CopyWriter {
  const setLast = (table: string, last: number): void => {
    database.prepare("DELETE FROM sqlite_sequence WHERE name = ?").run(table);
    database.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)").run(table, last);
  };
  return {
    ...readerOf(database),

    isEmpty: async () => database.prepare<[]>(anyRecord).get() === undefined,

    clear: async () => void database.exec("DELETE FROM integration"),

    put: async ({ name, columns }: CopiedTable, rows: readonly CopiedRow[]) => {
      const names = columns.map(([column]) => column).join(", ");
      const parameters = columns.map(() => "?").join(", ");
      const insert = database.prepare<SqliteValue[]>(
        `INSERT INTO ${name} (${names}) VALUES (${parameters})`,
      );
      for (const row of rows) {
        insert.run(...row.map((value, index) => sqliteValue(value, columns[index]![1])));
      }
    },

    finish: async ({ newest, integration, secretKey, senderId, group }: CopiedClock) => {
      database.prepare(`UPDATE clock SET newest = ?, ${countTurn}`).run(newest);
      setLast("integration", integration);
      setLast("secret_key", secretKey);
      setLast("sender_id", senderId);
      setLast("contact_group", group);
    },
  };
}
