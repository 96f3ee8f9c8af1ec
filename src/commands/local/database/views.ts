import type { RecordView } from "../../../output/views.ts";

/** Shown in place of what a database holds that was not created yet. */
export const notMade = "Not made yet: the first command that needs it makes it";

/** What a database holds, as it is counted in a question or an answer. */
export interface Held {
  readonly integrations: number;
  readonly keys: number;
  readonly sender_ids: number;
  readonly groups: number;
  readonly contacts: number;
}

/** Nothing of anybody's: the default integration is always there. */
export function isNothing(held: Held): boolean {
  const { integrations, keys, sender_ids, groups, contacts } = held;
  return integrations <= 1 && keys + sender_ids + groups + contacts === 0;
}

/** Of the default integration nothing is said where it is the only one. */
export function heldText(held: Held): string {
  const counts: readonly (readonly [count: number, one: string, many: string])[] = [
    [held.sender_ids, "sender ID", "sender IDs"],
    [held.groups, "group", "groups"],
    [held.contacts, "contact", "contacts"],
    [held.keys, "key", "keys"],
    [held.integrations <= 1 ? 0 : held.integrations, "integration", "integrations"],
  ];
  const parts = counts.flatMap(([count, one, many]) =>
    count === 0 ? [] : [`${count} ${count === 1 ? one : many}`],
  );
  return parts.length === 0 ? "nothing" : parts.join(", ");
}

/** All that `local info`, `backup`, `restore` and `reset` show. */
export const databaseView: RecordView = {
  one: "database",
  many: "databases",
  toCreate: "sendctl group create NAME",
  key: "database",
  fields: {
    database: { label: "Database" },
    file: { label: "File" },
    exists: {
      label: "Exists",
      cell: (value) => ({ text: value === true ? "yes" : "not made yet" }),
    },
    bytes: { label: "Bytes" },
    log_bytes: { label: "Bytes in the log" },
    schema_version: { label: "Schema version" },
    sqlite_version: { label: "SQLite version" },
    postgres_version: { label: "PostgreSQL version" },
    journal_mode: { label: "Journal mode" },
    integrations: { label: "Integrations" },
    keys: { label: "Keys" },
    sender_ids: { label: "Sender IDs" },
    sender_ids_pending: { label: "Sender IDs pending" },
    sender_ids_approved: { label: "Sender IDs approved" },
    sender_ids_rejected: { label: "Sender IDs rejected" },
    groups: { label: "Groups" },
    contacts: { label: "Contacts" },
    oldest_created_at: {
      label: "Oldest record",
      cell: (value, times) => ({ text: typeof value === "string" ? times(value) : "-" }),
    },
    newest_created_at: {
      label: "Newest record",
      cell: (value, times) => ({ text: typeof value === "string" ? times(value) : "-" }),
    },
    damaged_database: { label: "Damaged database" },
  },
  columns: [],
};

/** The same, where the file that was made is what the next command takes. */
export const backupView: RecordView = { ...databaseView, key: "file" };

export const checkView: RecordView = {
  one: "check",
  many: "checks",
  toCreate: "sendctl local check",
  key: "check",
  fields: {
    check: { label: "Check" },
    status: {
      label: "Status",
      cell: (value) =>
        value === "ok"
          ? { text: "ok", style: (style) => style.good }
          : { text: "fault", style: (style) => style.bad },
    },
    detail: { label: "Detail", column: { least: 20 } },
  },
  columns: ["check", "status", "detail"],
};
