import type Sqlite from "better-sqlite3";
import { openSqliteStore } from "../../../src/engine/sqlite/store.ts";
import { createEmbedded, type Embedded } from "../../../src/engine/embedded.ts";
import type { PartialBehaviour } from "../../../src/contract/behaviour.ts";
import type { Store } from "../../../src/engine/store/store.ts";
import type { Microseconds } from "../../../src/engine/store/stored.ts";
import { connect } from "../../../src/engine/sqlite/database-file.ts";

/** A database of one test, on SQLite or PostgreSQL, with direct access that bypasses the store. */
export interface TestDatabase {
  readonly open: (now: () => Microseconds) => Promise<Store>;
  /** Runs SQL that both SQLite and PostgreSQL understand. */
  readonly rows: <Row>(sql: string) => Promise<Row[]>;
  /**
   * Adds an integration without taking a time from the clock.
   *
   * @returns its id
   */
  readonly addIntegration: (name: string) => Promise<number>;
  /** Adds a contact and keeps contacts_count correct. */
  readonly addContact: (group: number, phone: string) => Promise<void>;
  readonly clearContacts: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** @param folder an empty folder of the test */
export type NewDatabase = (folder: string) => Promise<TestDatabase>;

/** Returns a test database on SQLite. */
function sqliteDatabase(file: string): TestDatabase {
  // Keep one connection open: closing any connection releases the process's locks on the file.
  const connections: Sqlite.Database[] = [];
  const database = (): Sqlite.Database => {
    if (connections.length === 0) connections.push(connect(file));
    return connections[0]!;
  };
  return {
    open: async (now) => openSqliteStore(file, now),
    rows: async (sql) => database().prepare(sql).all() as never[],
    addIntegration: async (name) =>
      Number(
        database().prepare("INSERT INTO integration (name, created_at) VALUES (?, 0)").run(name)
          .lastInsertRowid,
      ),
    addContact: async (group, phone) => {
      database().prepare("INSERT INTO contact (group_id, phone) VALUES (?, ?)").run(group, phone);
    },
    clearContacts: async () => void database().exec("DELETE FROM contact"),
    close: async () => void connections.pop()?.close(),
  };
}

let otherKind: NewDatabase | undefined;

/** Makes the following tests use databases of another kind. */
export function workOn(other: NewDatabase): void {
  otherKind = other;
}

/** Returns the kind of database that the running tests use, if it is not SQLite. */
export function kindOtherThanSqlite(): NewDatabase | undefined {
  return otherKind;
}

/** Creates a database of the kind that the running tests use. */
export async function makeDatabase(folder: string): Promise<TestDatabase> {
  return otherKind === undefined ? sqliteDatabase(`${folder}/sendctl.db`) : otherKind(folder);
}

export async function openEmbeddedOn(
  database: TestDatabase,
  now: () => Microseconds,
  behaviour?: PartialBehaviour,
): Promise<Embedded> {
  return createEmbedded(await database.open(now), now, behaviour);
}
