import type { RecordCounts } from "./maintenance.ts";

/** SQL of both databases: what `local info` shows of the records, and what `local check` checks. */

/** Conditions for rows that are not deleted, by table. */
interface Visible {
  readonly integration: string;
  readonly contact_group: string;
}

export const noRecords: RecordCounts = {
  integrations: 0,
  keys: 0,
  sender_ids: 0,
  groups: 0,
  contacts: 0,
};

/** Returns the statement that counts the records, as `RecordCounts`. It reads stored totals where there are some. */
export function countsSql({ integration, contact_group }: Visible): string {
  return `
    SELECT count(*) AS integrations, (SELECT count(*) FROM secret_key) AS keys,
      CAST(coalesce(sum(sender_id_total), 0) AS bigint) AS sender_ids,
      CAST(coalesce(sum(contact_group_total), 0) AS bigint) AS "groups",
      (SELECT CAST(coalesce(sum(contacts_count), 0) AS bigint) FROM contact_group
       WHERE ${contact_group}) AS contacts
    FROM integration WHERE ${integration}`;
}

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

/** Tables whose rows have a time. */
const timed = ["integration", "secret_key", "sender_id", "contact_group"] as const;

/** Returns the checks of totals. */
export function totalChecks(visible: Visible): readonly StoredCheck[] {
  return totals.map(([owner, total, of, by]) => ({
    name: "totals",
    sql: `SELECT '${owner} ' || ${owner}.id || ' has ${total} ' || ${owner}.${total} || ' but '
            || coalesce(found.count, 0) || ' rows in ${of}' AS detail
          FROM ${owner}
          LEFT JOIN (SELECT ${by} AS id, count(*) AS count FROM ${of} GROUP BY ${by}) AS found
            ON found.id = ${owner}.id
          WHERE ${owner}.${total} <> coalesce(found.count, 0) AND ${visible[owner]}`,
  }));
}

/** Ruling 22: times increase with the ids, and the clock is never behind them. */
export const clockChecks: readonly StoredCheck[] = [
  {
    name: "clock",
    sql: `SELECT 'the clock has ' || count(*) || ' rows instead of 1' AS detail FROM clock
          HAVING count(*) <> 1`,
  },
  ...timed.flatMap((table): StoredCheck[] => [
    {
      name: "clock",
      sql: `SELECT '${table} ' || one.id || ' was created after the newest time of the clock' AS detail
            FROM ${table} AS one JOIN clock ON one.created_at > clock.newest`,
    },
    {
      name: "clock",
      sql: `SELECT '${table} ' || id || ' was created no later than ${table} ' || before AS detail
            FROM (SELECT id, created_at, lag(id) OVER (ORDER BY id) AS before,
                    lag(created_at) OVER (ORDER BY id) AS time FROM ${table}) AS one
            WHERE created_at <= time`,
    },
  ]),
];
