/**
 * Writes groups to a database until it is killed, and logs each durable one: name, id, and when the write began.
 *
 *   node test/support/writer.mjs DATABASE NUMBER LOG
 */
import { randomUUID } from "node:crypto";
import { openSync, writeSync } from "node:fs";
import process from "node:process";
import { Sqlite } from "./sqlite.mjs";

const [, , file, writer, log] = process.argv;
const descriptor = openSync(log, "a");
const database = new Sqlite(file, { timeout: 60_000 });
database.pragma("synchronous = FULL");
database.pragma("foreign_keys = ON");
const tick = database
  .prepare("UPDATE clock SET newest = max(newest + 1, ?) RETURNING newest")
  .pluck();
const insert = database.prepare(
  `INSERT INTO contact_group (integration_id, uuid, name, send_birthday, created_at)
   VALUES (1, ?, ?, 0, ?)`,
);
const write = database.transaction(
  (name) => insert.run(randomUUID(), name, tick.get(Date.now() * 1000)).lastInsertRowid,
);
for (let number = 1; ; number += 1) {
  const name = `Writer ${writer} ${number}`;
  const begun = Date.now();
  writeSync(descriptor, `${name}:${write.immediate(name)}:${begun}\n`);
}
