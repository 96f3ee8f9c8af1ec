/** Compares a database with the records that the writers of write-load.mjs expect in it. */
import { Sqlite } from "../../test/support/sqlite.mjs";
import { recordId, settle } from "./write-load.mjs";

/** Compares the database with the expected records. All writers must have stopped. */
export function audit(book, file) {
  const database = new Sqlite(file, { readonly: true });
  try {
    database.transaction(() => auditRows(book, database))();
  } finally {
    database.close();
  }
}

function auditRows(book, database) {
  const rows = {
    "sender-id": database.prepare("SELECT id, name, purpose FROM sender_id").all(),
    group: database
      .prepare(
        `SELECT g.id, g.name, send_birthday, send_holiday, birthday_message,
           s.name AS sender, contacts_count AS contacts,
           (SELECT count(*) FROM contact WHERE group_id = g.id) AS counted
         FROM contact_group AS g LEFT JOIN sender_id AS s ON s.id = g.sender_id`,
      )
      .all()
      .map((row) => ({
        ...row,
        send_birthday: row.send_birthday === 1,
        send_holiday: row.send_holiday === null ? null : row.send_holiday === 1,
      })),
  };
  for (const writer of book.writers) {
    if (writer.pending !== undefined) resolve(book, writer, rows[writer.pending.noun]);
  }
  for (const noun of ["sender-id", "group"]) {
    const found = new Map(rows[noun].map((row) => [row.id, row]));
    for (const { records } of book.writers) {
      for (const record of records[noun].values()) {
        const row = found.get(record.id);
        found.delete(record.id);
        if (row !== undefined && isSame(row, record)) continue;
        book.counts.lost += 1;
        book.problems.push(`lost: ${noun} ${JSON.stringify(record)}, found ${JSON.stringify(row)}`);
      }
    }
    for (const row of found.values()) {
      book.problems.push(`unexpected ${noun} ${JSON.stringify(row)}`);
    }
  }
  for (const table of ["sender_id", "contact_group"]) {
    const unordered = database
      .prepare(
        `SELECT count(*) FROM
           (SELECT created_at, lag(created_at) OVER (ORDER BY id) AS before FROM ${table})
         WHERE created_at <= before`,
      )
      .pluck()
      .get();
    if (unordered > 0) book.problems.push(`created_at of ${table} does not ascend`);
  }
}

function isSame(row, record) {
  if (row.counted !== undefined && row.counted !== row.contacts) return false;
  return Object.entries(record).every(([field, value]) => row[field] === value);
}

/** Finds out from the database whether a write without a response was carried out. */
function resolve(book, writer, rows) {
  const write = writer.pending;
  const { noun, verb, record } = write;
  writer.pending = undefined;
  book.counts["in flight"] += 1;
  if (verb === "create") {
    // A second record with the same name is reported as unexpected.
    const row = rows.find(({ name }) => name === record.name);
    if (row === undefined) return;
    recordId(book, noun, row.id);
    settle(writer, write, row.id);
  } else {
    const row = rows.find(({ id }) => id === record.id);
    const isDone = verb === "delete" ? row === undefined : row !== undefined && isSame(row, record);
    if (!isDone) return;
    settle(writer, write, record.id);
  }
  book.counts.carriedOut += 1;
}
