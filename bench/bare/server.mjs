/**
 * The least that a server does with node:http. Responds to every request with the same 300 bytes, without reading it:
 *
 *   node server.mjs
 *
 * With a database of the engine, creates a group for each request in a transaction of its own, with the statements of
 * the engine, and validates nothing:
 *
 *   node server.mjs DATABASE
 */
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { Sqlite } from "../../test/support/sqlite.mjs";

const type = { "Content-Type": "application/json" };
const same = JSON.stringify({ status: true, message: "x".repeat(272) });
const headersOfSame = { ...type, "Content-Length": Buffer.byteLength(same) };

function respondTheSame(_, response) {
  response.writeHead(200, headersOfSame);
  response.end(same);
}

/** Returns a function that creates the group of a request in a database. */
function createIn(file) {
  const database = new Sqlite(file);
  database.pragma("synchronous = FULL");
  database.pragma("foreign_keys = ON");
  const nextTime = database
    .prepare("UPDATE clock SET newest = max(newest + 1, ?) RETURNING newest")
    .pluck();
  const insert = database.prepare(
    `INSERT INTO contact_group
       (integration_id, uuid, name, send_birthday, send_holiday, birthday_message, created_at)
     VALUES (1, ?, ?, 0, NULL, NULL, ?)
     RETURNING id, uuid, name, created_at`,
  );
  const create = database.transaction((name) =>
    insert.get(randomUUID(), name, nextTime.get(Date.now() * 1000)),
  );
  return (request, response) => {
    let text = "";
    request.setEncoding("utf8");
    request.on("data", (part) => (text += part));
    request.on("end", () => {
      const data = create.immediate(JSON.parse(text).name);
      const body = JSON.stringify({ status: true, message: "Group created", data });
      response.writeHead(201, { ...type, "Content-Length": Buffer.byteLength(body) });
      response.end(body);
    });
  };
}

const [, , file] = process.argv;
const server = createServer(file === undefined ? respondTheSame : createIn(file));
server.listen(0, "127.0.0.1", () => process.send(server.address().port));
process.on("disconnect", () => process.exit());
