import type { IntegrationStore, StoredIntegration, StoredKey } from "./store.ts";
import type { SharedQueries } from "./contacts.ts";

/** A deleted integration has no name until its row is removed. */
export const isIntegration = "integration.name IS NOT NULL";

export const integrationColumns = `integration.id, integration.name, sender_id_total AS "senderIds",
  contact_group_total AS "groups", integration.created_at AS "createdAt",
  (SELECT count(*) FROM secret_key WHERE integration_id = integration.id) AS "keys"`;

/** Returns the store methods for integrations and keys that are the same on both databases. */
export function integrationMethods({
  select,
  selectNow,
  change,
}: SharedQueries): Pick<IntegrationStore, "integrations" | "keys" | "deleteKey" | "ownerOfKey"> {
  return {
    integrations: () =>
      select<StoredIntegration>(
        `SELECT ${integrationColumns} FROM integration WHERE ${isIntegration}
         ORDER BY integration.id DESC`,
      ),

    keys: () =>
      select<StoredKey>(
        `SELECT secret_key.id, integration.name AS integration, ending, secret_key.created_at AS "createdAt"
         FROM secret_key JOIN integration ON integration.id = integration_id
         ORDER BY secret_key.id DESC`,
      ),

    deleteKey: async (id) =>
      (await change("DELETE FROM secret_key WHERE id = $1 RETURNING id", id)).length > 0,

    ownerOfKey: async (hash) => {
      const [owner] = await selectNow<{ integration: number; key: number }>(
        `SELECT integration_id AS integration, id AS "key" FROM secret_key WHERE hash = $1`,
        hash,
      );
      return owner;
    },
  };
}
