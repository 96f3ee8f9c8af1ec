import type Sqlite from "better-sqlite3";
import { openSqliteStore } from "../../../src/engine/sqlite/store.ts";
import { createEmbedded, type Embedded } from "../../../src/engine/embedded.ts";
import type { Microseconds, Store } from "../../../src/engine/store.ts";
import { connect } from "../../../src/engine/sqlite/connection/connect.ts";

/** A database of a test's own, whatever it is on, and what a test may know of it behind its store's back. */
export interface TestDatabase {
  readonly open: (now: () => Microseconds) => Promise<Store>;
  /** In SQL that SQLite and PostgreSQL have in common. */
  readonly rows: <Row>(sql: string) => Promise<Row[]>;
  /** Without a time of the clock's. @returns its id */
  readonly addIntegration: (name: string) => Promise<number>;
  /** What is counted stays true. */
  readonly addContact: (group: number, phone: string) => Promise<void>;
  readonly clearContacts: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** @param folder an empty one, of a test's own */
export type NewDatabase = (folder: string) => Promise<TestDatabase>;

/** On SQLite. */
function sqliteDatabase(file: string): TestDatabase {
  // SQLite gives up a process's locks on a file when any connection to it is closed.
  const kept: Sqlite.Database[] = [];
  const database = (): Sqlite.Database => {
    if (kept.length === 0) kept.push(connect(file));
    return kept[0]!;
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
    close: async () => void kept.pop()?.close(),
  };
}

let otherKind: NewDatabase | undefined;

/** Has the tests that follow work on databases of another kind. */
export function workOn(other: NewDatabase): void {
  otherKind = other;
}

/** The kind that the running tests work on, where it is not SQLite. */
export function kindOtherThanSqlite(): NewDatabase | undefined {
  return otherKind;
}

/** Of the kind that the running tests work on. */
export async function makeDatabase(folder: string): Promise<TestDatabase> {
  return otherKind === undefined ? sqliteDatabase(`${folder}/sendctl.db`) : otherKind(folder);
}

export async function openEmbeddedOn(
  database: TestDatabase,
  now: () => Microseconds,
): Promise<Embedded> {
  return createEmbedded(await database.open(now), now);
}
