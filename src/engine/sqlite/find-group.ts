import { groupColumns, type GroupRow } from "../store/rows.ts";
import type { GroupKey } from "../store/store.ts";
import type { Queries } from "./queries.ts";

const by = (column: "id" | "uuid"): string =>
  `SELECT ${groupColumns} FROM contact_group WHERE ${column} = ? AND integration_id = ?`;
const [byId, byUuid] = [by("id"), by("uuid")];

/** Returns the statement that finds a group, and its values. */
export function groupBy(
  integration: number,
  key: GroupKey,
): readonly [sql: string, id: number | string, integration: number] {
  return "id" in key ? [byId, key.id, integration] : [byUuid, key.uuid, integration];
}

export function findGroup(
  { row }: Queries,
  integration: number,
  key: GroupKey,
): GroupRow | undefined {
  return row(...groupBy(integration, key));
}
