/** The limit of node:http: responds to every request with the same 300 bytes, without reading it. */
import { createServer } from "node:http";

const body = JSON.stringify({ status: true, message: "x".repeat(272) });
const headers = { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) };

const server = createServer((_, response) => {
  response.writeHead(200, headers);
  response.end(body);
});
server.listen(0, "127.0.0.1", () => process.send(server.address().port));
process.on("disconnect", () => process.exit());
