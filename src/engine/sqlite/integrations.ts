import type { IntegrationStore, StoredIntegration, StoredKey } from "../store/store.ts";
import {
  integrationColumns,
  integrationMethods as sharedMethods,
  isStorable,
} from "../store/shared-methods.ts";
import type { Queries } from "./queries.ts";

/** Returns the store methods for integrations and their keys. */
export function integrationMethods(queries: Queries): IntegrationStore {
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

    deleteIntegration: (name) =>
      write(() => isStorable(name) && changes("DELETE FROM integration WHERE name = ?", name) > 0),

    insertKey: (integration, hash, ending, isFirst = false) =>
      write(() => {
        if (isFirst && row("SELECT 1 FROM secret_key LIMIT 1") !== undefined) return undefined;
        const owner = integrationOf(integration);
        if (owner === undefined) return undefined;
        return row<StoredKey>(
          `INSERT INTO secret_key (integration_id, hash, ending, created_at) VALUES (?, ?, ?, ?)
           RETURNING id, ? AS integration, ending, created_at AS createdAt`,
          owner.id,
          hash,
          ending,
          reserveTimes(1),
          integration,
        );
      }),
  };
}
