import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Contact, ContactColumn } from "../../contract/contacts.ts";
import { SendctlError } from "../../core/error.ts";
import { makeFolder } from "../../core/files.ts";
import { createBeside } from "../../core/own-file.ts";
import {
  rowsPerBatch,
  type CopiedClock,
  type CopiedRow,
  type CopySide,
} from "../maintenance/copy.ts";
import { storedGroup, type GroupRow } from "../store/rows.ts";
import { onExisting } from "../store/shared-methods.ts";
import type {
  ImportOptions,
  RecordStore,
  RestoreSnapshot,
  SeedStore,
  StoredImport,
} from "../store/store.ts";
import { codeOf, databaseError } from "./database-error.ts";
import { checkName, withDatabase, type Database } from "./database-file.ts";
import { countRecords } from "./integrity.ts";
import type { Queries } from "./queries.ts";
import type { GroupStatement } from "./records.ts";

/**
 * Number of rows written between two checks for signals. Writing them takes a few hundredths of a
 * second.
 */
const rowsPerStep = 20_000;

/**
 * Inserts or updates the contacts of a group in three steps, so that other writers wait only for
 * the last: the contacts are staged in a temporary table, sorted by phone with the last of each,
 * and then written in one transaction. Writing in the order of the index halves the cost.
 *
 * @param database a connection that nothing else uses, and whose closing ends the transaction
 */
export async function upsertContacts(
  database: Database,
  [find, ...values]: GroupStatement,
  contacts: AsyncIterable<readonly Contact[]>,
  columns: readonly ContactColumn[],
  { step, beforeCommit }: ImportOptions,
): Promise<StoredImport | undefined> {
  const { staged, total } = await stage(database, contacts);
  const group = (): GroupRow | undefined =>
    database.prepare<(string | number)[]>(find).get(...values) as GroupRow | undefined;
  const upsert = database.prepare<[number, number, number]>(
    `INSERT INTO contact (group_id, phone, first_name, birth_date)
     SELECT ?, phone, first_name, birth_date FROM sorted WHERE rowid > ? AND rowid <= ?
     ON CONFLICT (group_id, phone) ${onExisting(columns)}`,
  );

  database.exec("BEGIN IMMEDIATE");
  const before = group();
  if (before === undefined) return undefined;
  let changed = 0;
  for (let written = 0; written < total; written += rowsPerStep) {
    changed += upsert.run(before.id, written, written + rowsPerStep).changes;
    // Signals are delivered between two turns of the event loop.
    await setImmediate();
    await step?.(Math.min(total, written + rowsPerStep), total);
  }
  const after = storedGroup(group()!);
  const added = after.contacts_count - before.contacts_count;
  const imported = {
    group: after,
    added,
    updated: changed - added,
    unchanged: total - changed,
    duplicates: staged - total,
  };
  beforeCommit?.(imported);
  database.exec("COMMIT");
  return imported;
}

/**
 * Copies the contacts into the temporary table `sorted`, with the last of each phone: beside max(), SQLite takes the other columns
 * from the same row.
 *
 * @returns the numbers of contacts and of distinct phones
 */
async function stage(database: Database, contacts: AsyncIterable<readonly Contact[]>) {
  database.exec("CREATE TEMP TABLE staged (phone TEXT, first_name TEXT, birth_date TEXT)");
  const insert = database.prepare<[string]>(
    `INSERT INTO staged
     SELECT value ->> 'phone', value ->> 'first_name', value ->> 'birth_date' FROM json_each(?)`,
  );
  let staged = 0;
  for await (const batch of contacts) {
    insert.run(JSON.stringify(batch));
    staged += batch.length;
  }
  database.exec(`
    CREATE TEMP TABLE sorted (phone TEXT, first_name TEXT, birth_date TEXT);
    INSERT INTO sorted SELECT phone, first_name, birth_date FROM (
      SELECT phone, first_name, birth_date, max(rowid) FROM staged GROUP BY phone
    ) ORDER BY phone;
    DROP TABLE staged;`);
  const total = database.prepare("SELECT count(*) FROM sorted").pluck().get() as number;
  return { staged, total };
}

/** Statements that insert many rows. Their value is a JSON array of objects. */
const insertGroups = `
  INSERT INTO contact_group (id, integration_id, uuid, name, send_birthday, send_holiday,
    birthday_message, sender_id, created_at)
  SELECT value ->> 'id', value ->> 'integration', value ->> 'uuid', value ->> 'name',
    value ->> 'send_birthday', value ->> 'send_holiday', value ->> 'birthday_message',
    (SELECT id FROM sender_id
     WHERE integration_id = value ->> 'integration' AND name = value ->> 'senderId'),
    value ->> 'created_at'
  FROM json_each(?)`;

const insertContacts = `
  INSERT INTO contact (group_id, phone, first_name, birth_date)
  SELECT value ->> 'groupId', value ->> 'phone', value ->> 'first_name', value ->> 'birth_date'
  FROM json_each(?) WHERE value ->> 'groupId' IN (SELECT id FROM contact_group)
  ON CONFLICT (group_id, phone) DO NOTHING`;

/** Returns the store methods that insert many records, each in one transaction with one statement. */
export function seedMethods(
  { row, changes, write, reserveTimes }: Queries,
  { insertSenderId }: Pick<RecordStore, "insertSenderId">,
): SeedStore {
  return {
    insertManySenderIds: async (integration, senderIds) => {
      // They are committed together.
      const adding = senderIds.map((senderId) => insertSenderId(integration, senderId));
      return (await Promise.all(adding)).filter((added) => added !== undefined).length;
    },

    insertManyGroups: (integration, groups, uuidsFrom) =>
      write(() => {
        const last = "SELECT seq FROM sqlite_sequence WHERE name = 'contact_group'";
        // The first id that no group has had (ruling 21).
        const firstId = (row<{ seq: number }>(last)?.seq ?? 0) + 1;
        const firstTime = reserveTimes(groups.length);
        const nextUuid = uuidsFrom(firstId);
        const rows = groups.map((group, index) => {
          const [id, created_at] = [firstId + index, firstTime + index];
          return { ...group, integration, id, uuid: nextUuid(), created_at };
        });
        changes(insertGroups, JSON.stringify(rows));
        return rows.map(({ id }) => id);
      }),

    insertManyContacts: (_, contacts) =>
      write(() => changes(insertContacts, JSON.stringify(contacts))),
  };
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
 * Copies all records into tables that only this connection has, and returns what restores them: records, ids, and the
 * ids that follow. Integrations and keys stay as they are, also those that were created since, and the clock goes on.
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
        const clock = async () => readClock(database);
        return use({ clock, rows: (table, columns) => readRows(database, table, columns) });
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
            insert: async (table, columns, rows) => {
              const own = table === "contact" ? columns.slice(1) : columns;
              const insert = database.prepare<CopiedRow[string][]>(
                `INSERT INTO ${table} (${own.join()}) VALUES (${own.map(() => "?").join()})`,
              );
              for (const row of rows) insert.run(...own.map((column) => sqliteValue(row[column]!)));
            },
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

async function* readRows(database: Database, table: string, columns: readonly string[]) {
  // The integration of a contact, which only PostgreSQL stores beside it.
  const owner = "(SELECT integration_id FROM contact_group WHERE id = group_id) AS integration_id";
  const read = columns.map((column) =>
    table === "contact" && column === "integration_id" ? owner : column,
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
}

/** SQLite has no booleans. */
const sqliteValue = (value: CopiedRow[string]) =>
  typeof value === "boolean" ? Number(value) : value;

/** Returns after what the next records of a database continue. */
export function readClock(database: Database): CopiedClock {
  const ids = database.prepare<[]>("SELECT name, seq FROM sqlite_sequence").raw().all();
  const newest = database.prepare<[]>("SELECT newest FROM clock").pluck().get() as number;
  return { lastIds: Object.fromEntries(ids as [string, number][]), newest };
}

/** Makes the next records of a database continue after those of another one, too. */
export function raiseClock(database: Database, { lastIds, newest }: CopiedClock): void {
  const raise = database.prepare("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?");
  const add = database.prepare("INSERT INTO sqlite_sequence (seq, name) VALUES (?, ?)");
  for (const [table, last] of Object.entries(lastIds)) {
    if (raise.run(last, table).changes === 0) add.run(last, table);
  }
  database.prepare("UPDATE clock SET newest = max(newest, ?)").run(newest);
}
