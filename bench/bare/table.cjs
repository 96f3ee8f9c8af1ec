"use strict";

/** Prints the newest 15 groups of a database as a table: the least that a program does with cli-table3. */

const major = Number.parseInt(process.versions.node, 10);
const Database = require(major >= 22 ? "better-sqlite3-13" : "better-sqlite3");
const Table = require("cli-table3");

const database = new Database(process.argv[2], { readonly: true });
const rows = database.prepare("SELECT * FROM contact_group ORDER BY id DESC LIMIT 15").all();
const table = new Table({ head: ["ID", "Name", "Contacts", "Birthday", "Holiday", "Message"] });
for (const row of rows) {
  const flag = row.send_birthday === 1 ? "yes" : "no";
  const holiday = row.send_holiday === null ? "-" : row.send_holiday === 1 ? "yes" : "no";
  table.push([row.id, row.name, row.contacts_count, flag, holiday, row.birthday_message ?? "-"]);
}
console.log(table.toString());
