import { importStaged } from "../store/bulk.ts";
import {
  contactReads,
  integrationColumns,
  integrationMethods as sharedMethods,
  isStorable,
  reviewMethods,
} from "../store/shared-methods.ts";
import type { ContactStore, IntegrationStore, Store } from "../store/store.ts";
import type { Microseconds, StoredImport, StoredIntegration, StoredKey } from "../store/stored.ts";
import { refuseReplaced } from "./database-error.ts";
import { openDatabase, openMemory, withDatabase, type Database } from "./database-file.ts";
import { findGroup, groupBy, recordMethods } from "./records.ts";
import { createQueries, type Queries } from "./queries.ts";

/**
 * Opens the Store on the SQLite database at `file`, an absolute path. Creates a missing database.
 *
 * @param now returns the current time, in microseconds since 1970
 * @param timeout how long to wait for other processes, in milliseconds (default: 10 seconds)
 * @throws SendctlError "database" if the file cannot be used
 */
export function openSqliteStore(file: string, now: () => Microseconds, timeout?: number): Store {
  return storeOn(() => openDatabase(file, timeout), file, now);
}

/** Opens a Store on an empty database in memory. */
export function openMemoryStore(now: () => Microseconds): Store {
  return storeOn(openMemory, ":memory:", now);
}

/** Creates the Store of one connection. @param open opens it, and a further one for each import */
export function storeOn(open: () => Database, file: string, now: () => Microseconds): Store {
  const queries = createQueries(open(), file, now);
  return {
    ...recordMethods(queries),
    ...integrationMethods(queries),
    ...contactMethods(queries, file, open),
    ...reviewMethods(queries),
    insertMany: async (...given) => (await import("./bulk.ts")).insertMany(queries, ...given),
    checkHealth: () =>
      queries.read(() => {
        queries.refuseReplaced();
        // Every table is read, and no more than a page of it.
        queries.row(
          "SELECT (SELECT id FROM sender_id WHERE id = 0), (SELECT id FROM contact_group WHERE id = 0) FROM clock",
        );
      }),
    snapshot: async () => (await import("./bulk.ts")).takeSnapshot(queries),
    close: queries.close,
  };
}

const insertKey = `
  INSERT INTO secret_key (integration_id, hash, ending, created_at) VALUES (?, ?, ?, ?)
  RETURNING id, ? AS integration, ending, created_at`;

/** Returns the store methods for integrations and their keys. */
function integrationMethods(queries: Queries): IntegrationStore {
  const { row, changes, write, reserveTimes } = queries;

  function integrationOf(name: string): StoredIntegration | undefined {
    if (!isStorable(name)) return undefined;
    return row(`SELECT ${integrationColumns} FROM integration WHERE name = ?`, name);
  }

  return {
    ...sharedMethods(queries),

    insertIntegration: (name) =>
      write(() => {
        if (integrationOf(name) !== undefined) return undefined;
        changes("INSERT INTO integration (name, created_at) VALUES (?, ?)", name, reserveTimes(1));
        return integrationOf(name);
      }),

    insertKey: (integration, hash, ending, isFirst = false) =>
      write(() => {
        if (isFirst && row("SELECT 1 FROM secret_key LIMIT 1") !== undefined) return undefined;
        const owner = integrationOf(integration);
        if (owner === undefined) return undefined;
        return row<StoredKey>(insertKey, owner.id, hash, ending, reserveTimes(1), integration);
      }),
  };
}

const deletePhones = `
  DELETE FROM contact
  WHERE group_id = ? AND phone IN (SELECT value FROM json_each(?)) RETURNING phone`;

/**
 * Returns the store methods for the contacts of groups.
 *
 * @param open opens a separate connection: the transaction of an import spans many turns of the
 *   event loop
 */
function contactMethods(queries: Queries, file: string, open: () => Database): ContactStore {
  return {
    ...contactReads(queries, "one.integration_id = $1", "group_id", "substr(birth_date, -5)"),

    importContacts: async (integration, key, ...given) => {
      // Imported on demand, because only imports need it.
      const { importSession } = await import("./bulk.ts");
      queries.refuseReplaced();
      const importInto = async (database: Database): Promise<StoredImport | undefined> => {
        const session = importSession(database, groupBy(integration, key));
        const imported = await importStaged(session, integration, key, ...given);
        if (imported !== undefined) database.exec("COMMIT");
        refuseReplaced(database, file, true);
        return imported;
      };
      return withDatabase(file, importInto, open);
    },

    deleteContacts: (integration, key, phones) =>
      queries.write(() => {
        const found = findGroup(queries, integration, key);
        if (found === undefined) return undefined;
        const list = JSON.stringify(phones);
        return queries
          .rows<{ phone: string }>(deletePhones, found.id, list)
          .map(({ phone }) => phone);
      }),
  };
}
