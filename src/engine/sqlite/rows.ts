import { groupColumns, senderIdColumns } from "../rows.ts";

/** Parameters: an integration and a name. */
export const senderIdByName = `SELECT ${senderIdColumns} FROM sender_id WHERE integration_id = ? AND name = ?`;

/** Parameters: the id or uuid, and an integration. */
export const groupById = `SELECT ${groupColumns} FROM contact_group WHERE id = ? AND integration_id = ?`;
export const groupByUuid = `SELECT ${groupColumns} FROM contact_group WHERE uuid = ? AND integration_id = ?`;

/** Converts a boolean to 0 or 1, because SQLite has no booleans. */
export function flag(value: boolean | null): number | null {
  return value === null ? null : Number(value);
}
