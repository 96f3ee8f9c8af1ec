import type { Database } from "better-sqlite3";
import { statSync } from "node:fs";
import { damaged, nameAnother, unusable } from "./database-error.ts";

/** "SCTL" in ASCII: distinguishes databases of sendctl from those of other programs. */
const applicationId = 0x5343_544c;

/**
 * The migrations of the database schema, in order: the tables of 0.1.0, then a step for each later
 * change. `user_version` is the number of migrations that a file has applied. A released migration
 * never changes.
 *
 * - Triggers maintain the totals and contacts_count, so that lists need not count.
 * - AUTOINCREMENT: ids are never reused (ruling 21).
 * - Times are microseconds since 1970; `clock` stores the newest (ruling 22).
 * - Birthdays are indexed by their last five characters, because a birth date may lack a year
 *   (--MM-DD), and PENDING sender IDs by age: `serve --auto-approve-after` queries them many times
 *   a minute.
 * - Every other index of records begins with the integration, because every operation filters by
 *   it. SQLite appends the rowid, so the same index returns pages in descending order of id.
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE clock (newest INTEGER NOT NULL) STRICT;
  INSERT INTO clock VALUES (0);

  CREATE TABLE integration (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    sender_id_total INTEGER NOT NULL DEFAULT 0,
    contact_group_total INTEGER NOT NULL DEFAULT 0
  ) STRICT;

  CREATE TABLE secret_key (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    integration_id INTEGER NOT NULL REFERENCES integration (id) ON DELETE CASCADE,
    hash BLOB NOT NULL UNIQUE,
    ending TEXT NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX secret_key_of_integration ON secret_key (integration_id);

  CREATE TABLE sender_id (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    integration_id INTEGER NOT NULL REFERENCES integration (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    purpose TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('PENDING', 'APPROVED', 'REJECTED')),
    created_at INTEGER NOT NULL,
    UNIQUE (integration_id, name)
  ) STRICT;
  CREATE INDEX sender_id_of_integration ON sender_id (integration_id);
  CREATE INDEX sender_id_pending ON sender_id (created_at) WHERE status = 'PENDING';

  CREATE TABLE contact_group (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    integration_id INTEGER NOT NULL REFERENCES integration (id) ON DELETE CASCADE,
    uuid TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    send_birthday INTEGER NOT NULL CHECK (send_birthday IN (0, 1)),
    send_holiday INTEGER CHECK (send_holiday IN (0, 1)),
    birthday_message TEXT,
    sender_id INTEGER REFERENCES sender_id (id) ON DELETE SET NULL,
    contacts_count INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX contact_group_of_integration ON contact_group (integration_id);
  CREATE INDEX contact_group_of_sender_id ON contact_group (sender_id) WHERE sender_id IS NOT NULL;

  CREATE TABLE contact (
    id INTEGER PRIMARY KEY,
    group_id INTEGER NOT NULL REFERENCES contact_group (id) ON DELETE CASCADE,
    phone TEXT NOT NULL,
    first_name TEXT,
    birth_date TEXT,
    UNIQUE (group_id, phone)
  ) STRICT;
  CREATE INDEX contact_by_birthday ON contact (group_id, substr(birth_date, -5))
    WHERE birth_date IS NOT NULL;

  CREATE TRIGGER sender_id_added AFTER INSERT ON sender_id BEGIN
    UPDATE integration SET sender_id_total = sender_id_total + 1 WHERE id = NEW.integration_id;
  END;
  CREATE TRIGGER sender_id_removed AFTER DELETE ON sender_id BEGIN
    UPDATE integration SET sender_id_total = sender_id_total - 1 WHERE id = OLD.integration_id;
  END;
  CREATE TRIGGER contact_group_added AFTER INSERT ON contact_group BEGIN
    UPDATE integration SET contact_group_total = contact_group_total + 1 WHERE id = NEW.integration_id;
  END;
  CREATE TRIGGER contact_group_removed AFTER DELETE ON contact_group BEGIN
    UPDATE integration SET contact_group_total = contact_group_total - 1 WHERE id = OLD.integration_id;
  END;
  CREATE TRIGGER contact_added AFTER INSERT ON contact BEGIN
    UPDATE contact_group SET contacts_count = contacts_count + 1 WHERE id = NEW.group_id;
  END;
  CREATE TRIGGER contact_removed AFTER DELETE ON contact BEGIN
    UPDATE contact_group SET contacts_count = contacts_count - 1 WHERE id = OLD.group_id;
  END;

  INSERT INTO integration (id, name, created_at) VALUES (1, 'default', 0);
  `,
];

/** Returns the size of the write-ahead log beside the file, in bytes. */
export function logSize(file: string): number {
  return statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

/** Returns whether a migration has run. An empty file has no tables. */
export function hasTables(database: Database): boolean {
  return pragma(database, "user_version") !== 0;
}

/**
 * Returns the number of migrations that the file lacks.
 *
 * @throws SendctlError "database" if the file is damaged, foreign or newer
 */
export function stepsBehind(database: Database, file: string, steps = migrations): number {
  // In a transaction, so that all values come from the same snapshot.
  return database
    .transaction(() => {
      const version = pragma(database, "user_version");
      const owner = pragma(database, "application_id");
      const isEmpty = version === 0 && owner === 0 && pragma(database, "schema_version") === 0;
      if (owner !== applicationId && !isEmpty) {
        throw unusable(file, ["foreign", "belongs to another program", nameAnother]);
      }
      // The first migration sets the version and the owner together.
      if (version < 0 || (version === 0 && !isEmpty)) throw unusable(file, damaged);
      if (version > steps.length) {
        const hint = "update sendctl, or use another file";
        throw unusable(file, ["newer", "was written by a newer sendctl", hint]);
      }
      // SQLite treats a truncated last page as if it ended in zeros. While a log exists, it may
      // contain the missing pages.
      const expectedBytes = pragma(database, "page_count") * pragma(database, "page_size");
      if (!isEmpty && logSize(file) === 0 && statSync(file).size < expectedBytes) {
        throw unusable(file, damaged);
      }
      return steps.length - version;
    })
    .deferred();
}

function pragma(database: Database, name: string): number {
  return database.pragma(name, { simple: true }) as number;
}

/** Applies pending migrations. */
export function migrate(database: Database, file: string, steps = migrations): void {
  if (stepsBehind(database, file, steps) === 0) return;
  const apply = database.transaction(() => {
    // Another process may have applied them before this one got the write lock.
    const behind = stepsBehind(database, file, steps);
    for (const migration of steps.slice(steps.length - behind)) database.exec(migration);
    database.pragma(`application_id = ${applicationId}`);
    database.pragma(`user_version = ${steps.length}`);
  });
  apply.immediate();
}
