import type { Microseconds } from "../store/store.ts";
import { timestamp } from "../rules/records.ts";
import type { RecordCounts } from "./maintenance.ts";

/** SQL of both databases: what `local info` shows of the records, and what `local check` checks. */

/** Conditions for rows that are not deleted, by table. */
export interface Visible {
  readonly integration: string;
  readonly sender_id: string;
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

/** The first and the last creation time of a table. Times rise with the ids (ruling 22). */
const ends = ["sender_id", "contact_group"].flatMap((table) =>
  ["ASC", "DESC"].map(
    (order) => `SELECT (SELECT created_at FROM ${table} ORDER BY id ${order} LIMIT 1) AS time`,
  ),
);

/** What `local info` shows of the statuses and times of records. */
type Facts<Time> = Readonly<
  Record<`sender_ids_${"pending" | "approved" | "rejected"}`, number> &
    Record<`${"oldest" | "newest"}_created_at`, Time | null>
>;

/** A row of `factsSql`. */
export type FactsRow = Facts<Microseconds>;

/** Returns the statement of the statuses and times. */
export function factsSql({ sender_id }: Visible): string {
  return `
    SELECT statuses.*, times.*
    FROM (SELECT count(*) FILTER (WHERE status = 'PENDING') AS sender_ids_pending,
            count(*) FILTER (WHERE status = 'APPROVED') AS sender_ids_approved,
            count(*) FILTER (WHERE status = 'REJECTED') AS sender_ids_rejected
          FROM sender_id WHERE ${sender_id}) AS statuses,
      (SELECT min(time) AS oldest_created_at, max(time) AS newest_created_at
       FROM (${ends.join(" UNION ALL ")}) AS ends) AS times`;
}

/** Converts the times of a row. */
export function factsOf({
  oldest_created_at,
  newest_created_at,
  ...counts
}: FactsRow): Facts<string> {
  return {
    ...counts,
    oldest_created_at: oldest_created_at === null ? null : timestamp(oldest_created_at),
    newest_created_at: newest_created_at === null ? null : timestamp(newest_created_at),
  };
}

/** The facts of a database without records or tables. */
export const noFacts: Facts<string> = {
  sender_ids_pending: 0,
  sender_ids_approved: 0,
  sender_ids_rejected: 0,
  oldest_created_at: null,
  newest_created_at: null,
};

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

/**
 * Returns the checks of totals.
 *
 * @param visible conditions for rows that are not deleted, by table
 */
export function totalChecks(
  visible: Readonly<Record<(typeof totals)[number][0], string>>,
): readonly StoredCheck[] {
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
