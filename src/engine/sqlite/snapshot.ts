import type { RestoreSnapshot } from "../store/store.ts";
import type { Queries } from "./queries.ts";

/** The tables with records, in the order in which rows refer to each other. */
const tables = ["sender_id", "contact_group", "contact"] as const;

/** The numbers of ids given so far, of the tables that count them. */
const sequences = "sqlite_sequence WHERE name IN ('sender_id', 'contact_group')";

/**
 * Copies all records into tables that only this connection has, and returns what restores them: records, ids, and the
 * ids that follow. Integrations and keys stay as they are, also those that were created since, and the clock goes on.
 */
export async function takeSnapshot({ write, changes, row }: Queries): Promise<RestoreSnapshot> {
  await write(() => {
    for (const table of tables)
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

  function restore(): void {
    for (const table of tables.toReversed()) changes(`DELETE FROM ${table}`);
    // An integration may have been deleted since.
    const kept = "WHERE integration_id IN (SELECT id FROM integration)";
    changes(`INSERT INTO sender_id SELECT * FROM seed_sender_id ${kept}`);
    changes(`INSERT INTO contact_group SELECT * FROM seed_contact_group ${kept}`);
    changes(
      "INSERT INTO contact SELECT * FROM seed_contact WHERE group_id IN (SELECT id FROM contact_group)",
    );
    changes(`DELETE FROM ${sequences}`);
    changes("INSERT INTO sqlite_sequence (name, seq) SELECT name, seq FROM seed_sequence");
  }

  return (integration) =>
    write(() => {
      if (integration !== undefined) return empty(integration);
      restore();
      return true;
    });
}
