"use strict";

/** Prints the newest 15 groups of a database as JSON: the least that a program does that lists with better-sqlite3. */

const major = Number.parseInt(process.versions.node, 10);
const Database = require(major >= 22 ? "better-sqlite3-13" : "better-sqlite3");

const database = new Database(process.argv[2], { readonly: true });
const rows = database.prepare("SELECT * FROM contact_group ORDER BY id DESC LIMIT 15").all();
console.log(JSON.stringify({ data: rows }, null, 2));
