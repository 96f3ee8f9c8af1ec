import { isIntegration } from "../store/shared-methods.ts";

/** Above every id. */
export const allIds = String(Number.MAX_SAFE_INTEGER);

/** The ids of the integrations that are not deleted. */
export const integrations = `(SELECT id FROM integration WHERE ${isIntegration})`;

/** The condition for rows of each table that are not deleted, for readers of whole tables. */
export const visible = {
  integration: isIntegration,
  secret_key: "true",
  sender_id: `sender_id.integration_id IN ${integrations}`,
  contact_group: `contact_group.integration_id IN ${integrations}`,
  // A lookup per contact: a join would read all groups for every part of the contacts.
  contact: `(SELECT integration_id FROM contact_group WHERE contact_group.id = contact.group_id) IN ${integrations}`,
} as const;

/**
 * Returns the condition for the records of the integration $1 with ids below a limit. Order them by both columns. With
 * an equality and an order by id alone, PostgreSQL takes the primary key if most records belong to another integration,
 * and reads all of those.
 */
export function ofIntegration(limit: string, table = ""): string {
  const place = `(${table}integration_id, ${table}id)`;
  return `${place} < ($1::bigint, ${limit}::bigint) AND ${place} > ($1::bigint, 0)`;
}
