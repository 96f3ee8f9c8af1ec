/**
 * Generates the load on a server, in a separate process. Receives over IPC what to send, for how long and over
 * how many connections, and reports how many responses arrived. It speaks minimal HTTP over plain sockets, so that
 * it is faster than the server: one request at a time on each connection, the next one after a complete response.
 */
import { connect } from "node:net";

/**
 * Spreads the connections over the ports. Each sends the requests in turn.
 *
 * @param {{ ports: number[], requests: string[], status: number, connections: number, milliseconds: number }} job
 */
async function run({ ports, requests, status, connections, milliseconds }) {
  const bytes = requests.map((request) => Buffer.from(request));
  let sent = 0;
  const next = () => bytes[sent++ % bytes.length];
  const startLine = `HTTP/1.1 ${status} `;
  const count = { responses: 0, wrong: 0 };
  /** Milliseconds that each response took. */
  const taken = [];
  const sentAt = new Map();
  let isOver = false;
  const begun = performance.now();
  const before = process.cpuUsage();
  const clients = Array.from({ length: connections }, (_, index) =>
    client(ports[index % ports.length], (socket, head) => {
      count.responses += 1;
      const now = performance.now();
      taken.push(now - (sentAt.get(socket) ?? begun));
      sentAt.set(socket, now);
      if (!head.startsWith(startLine)) count.wrong += 1;
      if (isOver) socket.destroy();
      else socket.write(next());
    }),
  );
  for (const socket of clients) socket.write(next());
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  const responses = count.responses;
  const sorted = Float64Array.from(taken).toSorted();
  const seconds = (performance.now() - begun) / 1000;
  const { user, system } = process.cpuUsage(before);
  isOver = true;
  await Promise.all(clients.map((socket) => new Promise((done) => socket.once("close", done))));
  return {
    perSecond: responses / seconds,
    wrong: count.wrong,
    busy: (user + system) / 1e6 / seconds,
    p50: sorted[Math.floor(sorted.length * 0.5)],
    p99: sorted[Math.floor(sorted.length * 0.99)],
  };
}

/** Returns whether a response is complete whose body begins at an index. Nothing follows it before the next request. */
function isComplete(bytes, start, head) {
  const size = /content-length: (\d+)/i.exec(head)?.[1];
  if (size !== undefined) return bytes.length >= start + Number(size);
  return bytes.latin1Slice(Math.max(start, bytes.length - 5)) === "0\r\n\r\n";
}

/** Opens a connection; `onResponse` is called with the head of each complete response. */
function client(port, onResponse) {
  let buffered = Buffer.alloc(0);
  const take = (length, buffer) => {
    const piece = buffer.subarray(0, length);
    const bytes = buffered.length === 0 ? piece : Buffer.concat([buffered, piece]);
    const end = bytes.indexOf("\r\n\r\n");
    const head = end === -1 ? undefined : bytes.latin1Slice(0, end);
    if (head === undefined || !isComplete(bytes, end + 4, head)) {
      buffered = Buffer.from(bytes);
      return true;
    }
    buffered = Buffer.alloc(0);
    onResponse(socket, head);
    return true;
  };
  const socket = connect({
    port,
    host: "127.0.0.1",
    noDelay: true,
    onread: { buffer: Buffer.alloc(64 * 1024), callback: take },
  });
  return socket;
}

process.on("message", async (job) => process.send(await run(job)));
process.on("disconnect", () => process.exit());
