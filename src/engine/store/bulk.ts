import { contactColumns, type Contact } from "../../contract/contacts.ts";
import { onExisting, type SharedQueries } from "./shared-methods.ts";
import type { ImportContacts, StoredGroup, StoredImport } from "./stored.ts";

/** A row by column: values that either driver has read. */
export type BulkRow = Readonly<Record<string, string | number | boolean | null | Uint8Array>>;

/**
 * Inserts rows in their order.
 *
 * @param table one with a column `id`
 * @param end of the statement
 * @returns the ids of the inserted rows, if `end` returns them
 */
export type InsertRows = (
  table: string,
  columns: readonly string[],
  rows: readonly BulkRow[],
  end?: string,
) => Promise<readonly number[]>;

/** Returns a row for JSON, with bytes as PostgreSQL reads them: `\x` and hexadecimal digits. */
export function jsonRow(row: BulkRow): BulkRow {
  const { hash } = row;
  if (!(hash instanceof Uint8Array)) return row;
  return { ...row, hash: `\\x${Buffer.from(hash).toString("hex")}` };
}

/** Yields arrays of `size` items; the last one may have fewer. */
export function* chunksOf<Item>(items: Iterable<Item>, size: number): Generator<Item[]> {
  let part: Item[] = [];
  for (const item of items) {
    part.push(item);
    if (part.length < size) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}

/** A connection that only one import uses. */
export interface ImportSession {
  readonly send: SharedQueries["select"];
  readonly insert: InsertRows;
  /** Returns the number of rows that a statement has changed. */
  readonly change: (...statement: Parameters<SharedQueries["select"]>) => Promise<number>;
  /** The columns that identify the group of a contact. */
  readonly owner: readonly ("integration_id" | "group_id")[];
  /** Finds the group. Until the end of the transaction, no other process changes its contacts. */
  readonly lock: () => Promise<StoredGroup | undefined>;
  /** Whether the database counts the contacts of a group as they are added. */
  readonly countsContacts: boolean;
  /** Returns the group with the contacts added to it. @param added unless the database counts */
  readonly counted: (group: number, added: number) => Promise<StoredGroup>;
}

/** Rows per INSERT, for a few hundredths of a second. `step` runs after each and can cancel. */
const rowsPerStep = 20_000;

/**
 * Imports contacts into a group: stages them in a temporary table, where the last of each phone
 * counts, and inserts them. Others wait only for the latter, which the order of the index halves.
 *
 * @returns undefined if the group does not exist; the caller commits
 */
export async function importStaged(
  { send, insert, change, owner, lock, countsContacts, counted }: ImportSession,
  ...[integration, , contacts, columns, { step, beforeCommit }]: Parameters<ImportContacts>
): Promise<StoredImport | undefined> {
  const texts = contactColumns.map((column) => `${column} text`);
  await send(`CREATE TEMPORARY TABLE staged (id bigint, ${texts.join()})`);
  let lines = 0;
  for await (const batch of contacts) {
    const rows = batch.map((contact: Contact, index) => ({ id: lines + index, ...contact }));
    await insert("staged", ["id", ...contactColumns], rows);
    lines += batch.length;
  }
  // It has all columns, so that reading in its order reads nothing else.
  const [phone, ...others] = contactColumns;
  await send(`CREATE INDEX staged_contact ON staged (${[phone, "id", ...others].join()})`);
  const [different] = await send<{ count: number }>(
    "SELECT count(DISTINCT phone) AS count FROM staged",
  );
  const total = different!.count;
  if (total < lines) {
    await send(
      `DELETE FROM staged WHERE EXISTS (
         SELECT 1 FROM staged AS later WHERE later.phone = staged.phone AND later.id > staged.id)`,
    );
  }

  const before = await lock();
  if (before === undefined) return undefined;
  const values = { integration_id: "CAST($1 AS bigint)", group_id: "CAST($2 AS bigint)" };
  const ofGroup = owner.map((column) => `contact.${column} = ${values[column]}`).join(" AND ");
  const join = `staged JOIN contact ON ${ofGroup} AND contact.phone = staged.phone`;
  const found = countsContacts
    ? []
    : await send<{ count: number }>(
        `SELECT count(*) AS count FROM ${join}`,
        integration,
        before.id,
      );
  const existing = found[0]?.count ?? 0;
  const put = `
    INSERT INTO contact (${[...owner, ...contactColumns].join()})
    SELECT ${[...owner.map((column) => values[column]), ...contactColumns].join()}
    FROM staged WHERE phone > $3 AND phone <= $4 ORDER BY phone
    ON CONFLICT (${owner.join()}, phone) ${onExisting(columns)}`;
  let changed = 0;
  for (let [written, last] = [0, ""]; written < total;) {
    const [part] = await send<{ count: number; last: string }>(
      `SELECT count(*) AS count, max(phone) AS last FROM (
         SELECT phone FROM staged WHERE phone > $1 ORDER BY phone LIMIT ${rowsPerStep}) AS part`,
      last,
    );
    changed += await change(put, integration, before.id, last, part!.last);
    written += part!.count;
    last = part!.last;
    await step?.(written, total);
  }
  await send("DROP TABLE staged");
  const group = await counted(before.id, total - existing);
  const added = countsContacts ? group.contacts_count - before.contacts_count : total - existing;
  const imported = {
    group,
    added,
    updated: changed - added,
    unchanged: total - changed,
    duplicates: lines - total,
  };
  beforeCommit?.(imported);
  return imported;
}
