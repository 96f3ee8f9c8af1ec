/**
 * Runs hostile and slow clients against a server, and measures its memory and the effect on another client.
 *
 * Usage: abuse.mjs [--seconds 60] [--only NAME]. Exits with 1 if memory exceeds 150 MiB, or if the other client
 * gets anything but a 200.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createUser, killAll, newKey, sendctl, startServer } from "./clients.mjs";
import { createHttpClient } from "./http-client.mjs";

const { values } = parseArgs({
  options: { seconds: { type: "string", default: "60" }, only: { type: "string" } },
});
const seconds = Number(values.seconds);
const maxMemory = 150; // MiB

/** Keeps a number of sockets open: reopens those that the server closes. Returns a function that closes all. */
function keepOpen(port, count, begin, pause = 20) {
  const sockets = new Set();
  let isOver = false;
  const open = () => {
    if (isOver) return;
    const socket = connect(port, "127.0.0.1");
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("connect", () => begin(socket));
    socket.once("close", () => {
      sockets.delete(socket);
      setTimeout(open, pause);
    });
  };
  for (let index = 0; index < count; index += 1) open();
  return () => {
    isOver = true;
    for (const socket of sockets) socket.destroy();
  };
}

const head = (method, path, key, headers = "") =>
  `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n${headers}`;

const abuses = {
  "pipelined requests, unread": ({ port }) =>
    keepOpen(port, 4, (socket) => {
      socket.pause();
      const many = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n".repeat(500);
      const more = () => {
        while (!socket.destroyed && socket.write(many));
      };
      socket.on("drain", more);
      more();
    }),
  "long lists, unread": ({ port, key }) =>
    keepOpen(
      port,
      50,
      (socket) => {
        socket.pause();
        socket.write(`${head("GET", "/v1/group?perPage=1000", key)}\r\n`.repeat(20));
      },
      5000,
    ),
  "slow bodies": ({ port, key }) =>
    keepOpen(port, 1000, (socket) => {
      socket.write(
        `${head("POST", "/v1/group", key, "Content-Type: application/json\r\nContent-Length: 65000\r\n")}\r\n${" ".repeat(60_000)}`,
      );
    }),
  "1,000 idle connections": ({ port }) => keepOpen(port, 1000, () => {}),
  "huge headers": ({ port, key }) =>
    keepOpen(port, 500, (socket) => {
      socket.write(head("GET", "/v1/group", key, `X: ${"x".repeat(15_000)}\r\n`));
    }),
  "endless headers": ({ port }) =>
    keepOpen(port, 100, (socket) => {
      const more = () => {
        while (!socket.destroyed && socket.write(`X-${"y".repeat(60_000)}: z\r\n`));
      };
      socket.write("GET /healthz HTTP/1.1\r\n");
      socket.on("drain", more);
      more();
    }),
};

function memoryOf(pid) {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s*(\d+)/m.exec(status)[1]) / 1024;
}

async function measure(name, server) {
  const { send, close } = createHttpClient(server.port, server.key, 1);
  const stop = abuses[name](server);
  const end = performance.now() + seconds * 1000;
  const times = [];
  const others = new Map();
  let peak = 0;
  while (performance.now() < end) {
    const begun = performance.now();
    const { status } = await send("GET", "/v1/group/1");
    times.push(performance.now() - begun);
    if (status !== 200) others.set(status, (others.get(status) ?? 0) + 1);
    peak = Math.max(peak, memoryOf(server.pid));
    await wait(10);
  }
  stop();
  close();
  times.sort((one, other) => one - other);
  const at = (share) => times[Math.floor(times.length * share)].toFixed(1);
  const refused = [...others].map(([status, count]) => `, ${count} × ${status}`).join("");
  process.stdout.write(
    `${name}: peak ${peak.toFixed(0)} MiB; other client: ${times.length} requests, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms${refused}\n`,
  );
  return peak <= maxMemory && others.size === 0;
}

const folder = mkdtempSync(join(tmpdir(), "sendctl-abuse-"));
let isOk = true;
try {
  const user = createUser(folder);
  await sendctl(user, "local", "seed", "--groups", "2000", "--contacts", "0");
  const key = await newKey(user);
  for (const name of Object.keys(abuses)) {
    if (values.only !== undefined && values.only !== name) continue;
    const { child, address } = startServer(user);
    const port = Number(new URL(await address).port);
    isOk = (await measure(name, { pid: child.pid, port, key })) && isOk;
    await killAll();
  }
} finally {
  await killAll();
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = isOk ? 0 : 1;
