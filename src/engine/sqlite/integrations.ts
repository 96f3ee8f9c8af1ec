import type { IntegrationStore, StoredIntegration, StoredKey } from "../store.ts";
import { isStorable, type Queries } from "./queries.ts";

const integrationColumns = `integration.id, integration.name, sender_id_total AS senderIds,
  contact_group_total AS "groups", integration.created_at AS createdAt,
  (SELECT count(*) FROM secret_key WHERE integration_id = integration.id) AS keys`;

const keyColumns = `secret_key.id, integration.name AS integration, ending,
  secret_key.created_at AS createdAt`;

/** Returns the store methods for integrations and their keys. */
export function integrationMethods({
  now,
  row,
  rows,
  changes,
  read,
  write,
  reserveTimes,
}: Queries): IntegrationStore {
  function integrationOf(name: string): StoredIntegration | undefined {
    if (!isStorable(name)) return undefined;
    return row(`SELECT ${integrationColumns} FROM integration WHERE name = ?`, name);
  }

  return {
    insertIntegration: (name) =>
      write(() => {
        if (integrationOf(name) !== undefined) return undefined;
        changes("INSERT INTO integration (name, created_at) VALUES (?, ?)", name, reserveTimes(1));
        return integrationOf(name);
      }),

    integrations: () =>
      read(() =>
        rows<StoredIntegration>(
          `SELECT ${integrationColumns} FROM integration ORDER BY integration.id DESC`,
        ),
      ),

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

    keys: () =>
      read(() =>
        rows<StoredKey>(
          `SELECT ${keyColumns} FROM secret_key
           JOIN integration ON integration.id = integration_id ORDER BY secret_key.id DESC`,
        ),
      ),

    deleteKey: (id) => write(() => changes("DELETE FROM secret_key WHERE id = ?", id) > 0),

    ownerOfKey: (hash) =>
      now<{ integration: number; key: number }>(
        "SELECT integration_id AS integration, id AS key FROM secret_key WHERE hash = ?",
        hash,
      ),
  };
}
