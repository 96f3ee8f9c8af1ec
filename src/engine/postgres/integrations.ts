import type { IntegrationStore, Microseconds, StoredIntegration, StoredKey } from "../store.ts";
import { integrationColumns, integrationMethods as sharedMethods } from "../store/integrations.ts";
import type { Queries } from "./queries.ts";
import { nextOf, prepared } from "./records.ts";

const insertIntegration = `
  WITH next AS (${nextOf(
    "integration",
    "$2",
    "NOT EXISTS (SELECT 1 FROM integration WHERE name = $1)",
  )})
  INSERT INTO integration (id, name, created_at) SELECT id, $1::text, newest FROM next
  RETURNING ${integrationColumns}`;

/** Hides the integration and deletes its keys. The sweep deletes its records. */
const deleteIntegration = `
  WITH gone AS (UPDATE integration SET name = NULL WHERE name = $1 RETURNING id),
  revoked AS (DELETE FROM secret_key WHERE integration_id IN (SELECT id FROM gone))
  SELECT id FROM gone`;

const insertKeyIf = (condition: string): string => `
  WITH owner AS (SELECT id FROM integration WHERE name = $1),
  next AS (${nextOf("key", "$4", `EXISTS (SELECT 1 FROM owner) AND ${condition}`)})
  INSERT INTO secret_key (id, integration_id, hash, ending, created_at)
  SELECT next.id, owner.id, $2::bytea, $3::text, newest FROM next CROSS JOIN owner
  RETURNING id, $1::text AS integration, ending, created_at AS "createdAt"`;

const insertKey = insertKeyIf("true");
const insertFirstKey = insertKeyIf("NOT EXISTS (SELECT 1 FROM secret_key)");

/** Returns the store methods for integrations and their keys. @param now time in microseconds since 1970 */
export function integrationMethods(queries: Queries, now: () => Microseconds): IntegrationStore {
  const { write, sweep } = queries;
  const time = (): number => Math.floor(now());
  return {
    ...sharedMethods(queries),

    insertIntegration: (name) =>
      write({
        statements: [prepared(insertIntegration, name, time())],
        result: ([added]) => added!.rows[0] as StoredIntegration | undefined,
      }),

    deleteIntegration: async (name) => {
      const isGone = await write({
        statements: [prepared(deleteIntegration, name)],
        result: ([gone]) => gone!.count > 0,
      });
      if (isGone) await sweep();
      return isGone;
    },

    insertKey: (integration, hash, ending, isFirst = false) =>
      write({
        statements: [
          prepared(isFirst ? insertFirstKey : insertKey, integration, hash, ending, time()),
        ],
        result: ([added]) => added!.rows[0] as StoredKey | undefined,
      }),
  };
}
