import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { setImmediate } from "node:timers/promises";
import { SendctlError } from "../../core/error.ts";
import { makeFolder } from "../../core/files.ts";
import { createBeside } from "../../core/own-file.ts";
import { rowsPerBatch, type CopiedClock, type CopySide } from "../maintenance/maintenance.ts";
import { chunksOf, jsonRow, type BulkRow, type ImportSession } from "../store/bulk.ts";
import { tableColumns, type StoredGroup } from "../store/stored.ts";
import type { RestoreSnapshot, Store } from "../store/store.ts";
import { codeOf, databaseError } from "./database-error.ts";
import { checkName, withDatabase, type Database, type Statement } from "./database-file.ts";
import { countRecords } from "./integrity.ts";
import { byNumber, type Queries, type Value } from "./queries.ts";
import type { GroupStatement } from "./records.ts";

/** Inserts rows: `InsertRows`. Only PostgreSQL stores the integration of a contact. */
function insertRows(
  prepare: (sql: string) => Statement<Value[]>,
  table: string,
  columns: readonly string[],
  rows: readonly BulkRow[],
  end = "",
): readonly number[] {
  const own = table === "contact" ? columns.filter((name) => name !== "integration_id") : columns;
  // Arrays, whose values are read by their place, take less time than objects.
  const read = own.map((name, place) =>
    name === "hash" ? `unhex(substr(value ->> ${place}, 3))` : `value ->> ${place}`,
  );
  const insert = prepare(
    `INSERT INTO ${table} (${own.join()}) SELECT ${read.join()} FROM json_each(?) WHERE true ${end}`,
  );
  const given = JSON.stringify(rows.map(jsonRow).map((row) => own.map((name) => row[name])));
  if (insert.reader) return insert.pluck().all(given) as number[];
  insert.run(given);
  return [];
}

/**
 * Begins an import.
 *
 * @param database a connection that nothing else uses: the transaction spans many turns of the
 *   event loop, and ends when the connection is closed
 */
export function importSession(
  database: Database,
  [find, ...values]: GroupStatement,
): ImportSession {
  const prepare = (sql: string) => database.prepare<Value[]>(sql);
  const group = () => prepare(find).get(...values) as StoredGroup | undefined;
  return {
    send: async <Row>(sql: string, ...values: Value[]) => {
      const statement = prepare(sql);
      if (statement.reader) return statement.all(byNumber(values)) as Row[];
      statement.run();
      return [];
    },
    insert: async (...given) => insertRows(prepare, ...given),
    change: async (sql, ...values) => {
      const { changes } = prepare(sql).run(byNumber(values));
      // Signals are delivered between two turns of the event loop.
      await setImmediate();
      return changes;
    },
    owner: ["group_id"],
    lock: async () => {
      database.exec("BEGIN IMMEDIATE");
      return group();
    },
    // A trigger counts them.
    countsContacts: true,
    counted: async () => group()!,
  };
}

/** Adds records of one kind: `insertMany` of a store. */
export function insertMany(
  { prepare, write, reserveTimes }: Queries,
  ...[integration_id, table, rows]: Parameters<Store["insertMany"]>
): Promise<readonly number[]> {
  return write(() => {
    const first = reserveTimes(rows.length);
    const whole = rows.map((row, place) => ({ ...row, integration_id, created_at: first + place }));
    const columns = tableColumns[table].filter((name) => name !== "id");
    return insertRows(prepare, table, columns, whole, "ON CONFLICT DO NOTHING RETURNING id");
  });
}

/** The tables with records, in the order in which rows refer to each other, with their owners. */
const tables = [
  { table: "sender_id", owner: "integration_id", owners: "integration" },
  { table: "contact_group", owner: "integration_id", owners: "integration" },
  { table: "contact", owner: "group_id", owners: "contact_group" },
] as const;

/** The last ids of the tables that count them. */
const sequences = "sqlite_sequence WHERE name IN ('sender_id', 'contact_group')";

/**
 * Copies all records into tables of this connection alone, and returns what restores them: records
 * and ids, also the next ones. Integrations, keys (also new ones) and the clock stay as they are.
 */
export async function takeSnapshot({ write, changes, row }: Queries): Promise<RestoreSnapshot> {
  await write(() => {
    for (const { table } of tables)
      changes(`CREATE TEMP TABLE seed_${table} AS SELECT * FROM ${table}`);
    changes(`CREATE TEMP TABLE seed_sequence AS SELECT name, seq FROM ${sequences}`);
    // Triggers count the contacts as they are inserted.
    changes("UPDATE seed_contact_group SET contacts_count = 0");
  });

  /** Deletes the records of one integration. @returns whether there is one of this name */
  function empty(name: string): boolean {
    const found = row<{ id: number }>("SELECT id FROM integration WHERE name = ?", name);
    if (found === undefined) return false;
    changes("DELETE FROM contact_group WHERE integration_id = ?", found.id);
    changes("DELETE FROM sender_id WHERE integration_id = ?", found.id);
    return true;
  }

  function restore(): boolean {
    for (const { table } of tables.toReversed()) changes(`DELETE FROM ${table}`);
    for (const { table, owner, owners } of tables) {
      // An integration may have been deleted since.
      const kept = `WHERE ${owner} IN (SELECT id FROM ${owners})`;
      changes(`INSERT INTO ${table} SELECT * FROM seed_${table} ${kept}`);
    }
    changes(`DELETE FROM ${sequences}`);
    changes("INSERT INTO sqlite_sequence (name, seq) SELECT name, seq FROM seed_sequence");
    return true;
  }

  return (integration) => write(() => (integration === undefined ? restore() : empty(integration)));
}

/** Returns the side of a copy that reads a database, or creates one. @param file absolute path */
export function sqliteCopySide(file: string): CopySide {
  const refuse = (problem: string, hint: string, cause?: unknown): SendctlError =>
    new SendctlError("usage", `the database ${file} ${problem}`, { hint, file, cause });
  const alreadyExists = (cause?: unknown) => refuse("already exists", "copy to a new file", cause);
  return {
    name: file,

    read: async (use) => {
      if (!existsSync(file)) {
        throw refuse("does not exist", "name the database to copy with --database");
      }
      return withDatabase(file, (database) => {
        database.exec("BEGIN");
        return use({
          rows: (sql) => chunksOf(database.prepare<[], BulkRow>(sql).iterate(), rowsPerBatch),
          clock: async () => readClock(database),
        });
      });
    },

    write: async (use) => {
      if (existsSync(file)) throw alreadyExists();
      checkName(file);
      // Closing rolls back, or moves the log into the file.
      const fill = (partial: string) =>
        withDatabase(partial, async (database) => {
          database.exec("BEGIN IMMEDIATE; DELETE FROM integration");
          const result = await use({
            insert: async (...given) => insertRows((sql) => database.prepare(sql), ...given),
            finish: async (clock) => {
              raiseClock(database, clock);
              return countRecords(database);
            },
          });
          database.exec("COMMIT");
          return result;
        });
      try {
        makeFolder(dirname(file));
        return await createBeside(file, "copy", false, fill);
      } catch (error) {
        // Another process has created it during the copy.
        throw codeOf(error) === "EEXIST" ? alreadyExists(error) : databaseError(error, file);
      }
    },
  };
}

/** Returns after what the next records of a database continue. */
export function readClock(database: Database): CopiedClock {
  const sql = "SELECT name, seq FROM sqlite_sequence UNION ALL SELECT 'newest', newest FROM clock";
  return Object.fromEntries(database.prepare<[]>(sql).raw().all() as [string, number][]);
}

/** Makes the next records of a database continue after those of another one, too. */
export function raiseClock(database: Database, { newest, ...lastIds }: CopiedClock): void {
  const raise = database.prepare("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?");
  const add = database.prepare("INSERT INTO sqlite_sequence (seq, name) VALUES (?, ?)");
  for (const [table, last] of Object.entries(lastIds)) {
    if (raise.run(last, table).changes === 0) add.run(last, table);
  }
  database.prepare("UPDATE clock SET newest = max(newest, ?)").run(newest);
}
