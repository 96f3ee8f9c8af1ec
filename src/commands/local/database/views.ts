import type { RecordView, TimeView } from "../../../output/views.ts";

/** The message for a database that does not exist. */
export const notCreated = "The database does not exist yet; it is created when first needed";

/** Record counts of a database. */
export interface RecordCounts {
  readonly integrations: number;
  readonly keys: number;
  readonly sender_ids: number;
  readonly groups: number;
  readonly contacts: number;
}

/** Returns whether a database has no records. The default integration, which always exists, does not count. */
export function isEmpty(counts: RecordCounts): boolean {
  const { integrations, keys, sender_ids, groups, contacts } = counts;
  return integrations <= 1 && keys + sender_ids + groups + contacts === 0;
}

/** Formats record counts for people; the default integration is not mentioned if it is the only one. */
export function contentText(counts: RecordCounts): string {
  const nouns: readonly (readonly [count: number, one: string, many: string])[] = [
    [counts.sender_ids, "sender ID", "sender IDs"],
    [counts.groups, "group", "groups"],
    [counts.contacts, "contact", "contacts"],
    [counts.keys, "key", "keys"],
    [counts.integrations <= 1 ? 0 : counts.integrations, "integration", "integrations"],
  ];
  const parts = nouns.flatMap(([count, one, many]) =>
    count === 0 ? [] : [`${count} ${count === 1 ? one : many}`],
  );
  return parts.length === 0 ? "nothing" : parts.join(", ");
}

const timeCell = (value: unknown, times: TimeView) => ({
  text: typeof value === "string" ? times(value) : "-",
});

/** Every field that `local info`, `backup` and `restore` show. */
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
      cell: (value) => ({ text: value === true ? "yes" : "not created" }),
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
    oldest_created_at: { label: "Oldest record", cell: timeCell },
    newest_created_at: { label: "Newest record", cell: timeCell },
    behaviour: { label: "Behaviour", cell: (value) => ({ text: JSON.stringify(value) }) },
    damaged_database: { label: "Damaged database" },
  },
  columns: [],
};

/** With `-o id` this view prints the backup file, which the next command takes. */
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
          : { text: "error", style: (style) => style.bad },
    },
    detail: { label: "Detail", column: { least: 20 } },
  },
  columns: ["check", "status", "detail"],
};
