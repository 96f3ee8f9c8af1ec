import type { RecordCounts } from "./maintenance.ts";

/** SQL of both databases: what `local info` shows of the records, and what `local check` checks. */

export const noRecords: RecordCounts = {
  integrations: 0,
  keys: 0,
  sender_ids: 0,
  groups: 0,
  contacts: 0,
};

/** Counts the records, as `RecordCounts`. It reads stored totals where there are some. */
export const countsSql = `
  SELECT count(*) AS integrations, (SELECT count(*) FROM secret_key) AS keys,
    CAST(coalesce(sum(sender_id_total), 0) AS bigint) AS sender_ids,
    CAST(coalesce(sum(contact_group_total), 0) AS bigint) AS "groups",
    (SELECT CAST(coalesce(sum(contacts_count), 0) AS bigint) FROM contact_group) AS contacts
  FROM integration`;

/** A check of stored records that both databases run: no database knows what our totals and times mean. */
export interface StoredCheck {
  readonly name: "totals" | "clock";
  /** Selects one row per problem, with its text as `detail`. */
  readonly sql: string;
}

/** Every stored total, and the rows it counts. */
const totals = [
  ["integration", "sender_id_total", "sender_id", "integration_id"],
  ["integration", "contact_group_total", "contact_group", "integration_id"],
  ["contact_group", "contacts_count", "contact", "group_id"],
] as const;

export const totalChecks: readonly StoredCheck[] = totals.map(([owner, total, of, by]) => ({
  name: "totals",
  sql: `SELECT '${owner} ' || ${owner}.id || ' has ${total} ' || ${owner}.${total} || ' but '
          || coalesce(found.count, 0) || ' rows in ${of}' AS detail
        FROM ${owner}
        LEFT JOIN (SELECT ${by} AS id, count(*) AS count FROM ${of} GROUP BY ${by}) AS found
          ON found.id = ${owner}.id
        WHERE ${owner}.${total} <> coalesce(found.count, 0)`,
}));

/** Tables whose rows have a time that an integration gives. */
export const timed = ["secret_key", "sender_id", "contact_group"] as const;

/** Ruling 22: times of an integration increase with the ids. */
export const timeChecks: readonly StoredCheck[] = timed.map((table) => ({
  name: "clock",
  sql: `SELECT '${table} ' || id || ' was created no later than ${table} ' || before AS detail
        FROM (SELECT id, created_at, lag(id) OVER of_owner AS before,
                lag(created_at) OVER of_owner AS time FROM ${table}
              WINDOW of_owner AS (PARTITION BY integration_id ORDER BY id)) AS one
        WHERE created_at <= time`,
}));
