/**
 * Creates groups with one transaction per request: runs the statements of the engine on one of its databases (the
 * argument), behind a bare node:http that validates nothing.
 */
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { Sqlite } from "../test/support/sqlite.mjs";

const database = new Sqlite(process.argv[2]);
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

const server = createServer((request, response) => {
  let text = "";
  request.setEncoding("utf8");
  request.on("data", (part) => (text += part));
  request.on("end", () => {
    const data = create.immediate(JSON.parse(text).name);
    const body = JSON.stringify({ status: true, message: "Group created", data });
    response.writeHead(201, {
      "Content-Type": "application/json",
      "Content-Length": Buffer.byteLength(body),
    });
    response.end(body);
  });
});
server.listen(0, "127.0.0.1", () => process.send(server.address().port));
process.on("disconnect", () => process.exit());
