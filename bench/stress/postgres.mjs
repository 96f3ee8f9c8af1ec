/** Starts PostgreSQL and `sendctl serve` on free ports, in a temporary folder. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import process from "node:process";
import { processorTime } from "../processes.mjs";
import { startNginx } from "../../test/support/nginx.mjs";
import { createUser, startServer as startServerOf } from "./clients.mjs";
import { createHttpClient } from "./http-client.mjs";

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

function programs() {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian) : [];
  const folders = versions.map((version) => join(debian, version, "bin"));
  const found = [...folders, ...process.env.PATH.split(":")].find((folder) =>
    existsSync(join(folder, "initdb")),
  );
  if (found === undefined) throw new Error("PostgreSQL is not installed");
  return found;
}

const id = (...args) => execFileSync("id", args, { encoding: "utf8" }).trim();

/** Starts PostgreSQL with its default durability: every commit is flushed. */
export async function startPostgres(folder) {
  const isRoot = process.getuid() === 0;
  const user = isRoot ? "postgres" : id("-un");
  const as = isRoot ? { uid: Number(id("-u", user)), gid: Number(id("-g", user)) } : {};
  const data = join(folder, "postgres");
  mkdirSync(data);
  chmodSync(folder, 0o755);
  if (isRoot) chownSync(data, as.uid, as.gid);
  const bin = programs();
  const options = ["-D", data, "-U", user, "-A", "trust", "-E", "UTF8", "--no-locale"];
  execFileSync(join(bin, "initdb"), options, { stdio: "ignore", cwd: data, ...as });
  const port = await freePort();
  let child;
  const start = async () => {
    const args = ["-D", data, "-p", String(port), "-c", "listen_addresses=127.0.0.1"];
    const stdio = ["ignore", "ignore", "pipe"];
    child = spawn(join(bin, "postgres"), [...args, "-k", data], { stdio, cwd: data, ...as });
    let log = "";
    await new Promise((resolve, reject) => {
      child.stderr.on("data", (chunk) => {
        log += chunk;
        if (log.includes("ready to accept connections")) resolve();
      });
      child.once("exit", () => reject(new Error(log)));
    });
  };
  const end = async (signal) => {
    child.kill(signal);
    if (child.exitCode === null) await once(child, "exit");
  };
  process.once("exit", () => child?.kill("SIGQUIT"));
  await start();
  return {
    /** Seconds of processor time so far, of all processes of PostgreSQL. */
    processorTime: () => {
      const running = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8");
      const ofRunning = running.trim().split(" ").map(Number).map(processorTime);
      // Read last: it includes a process that has ended in the meantime.
      const [, fields] = readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ");
      const ofEnded = fields
        .split(" ")
        .slice(13, 15)
        .map((ticks) => Number(ticks) / 100);
      return [processorTime(child.pid), ...ofEnded, ...ofRunning].reduce(
        (sum, each) => sum + (each ?? 0),
        0,
      );
    },
    url: (schema) => `postgres://${user}@127.0.0.1:${port}/postgres?schema=${schema}`,
    /** Restarts without a checkpoint, so that PostgreSQL recovers, like `pg_ctl restart -m immediate`. */
    restart: async () => {
      await end("SIGQUIT");
      await start();
    },
    stop: () => end("SIGINT"),
  };
}

/**
 * Starts `sendctl serve`. @returns its port and pid, its key if it created one, and functions that send signals and end it
 */
export async function startServer(folder, database, port = 0, ...options) {
  const words = ["--quiet", "--port", String(port), ...options];
  const { child, data } = startServerOf(createUser(folder, database), ...words);
  const found = await data;
  if (found === undefined) throw new Error(`sendctl serve exited with ${child.exitCode}`);
  return {
    port: Number(new URL(found.base_url).port),
    pid: child.pid,
    key: found.secret_key,
    signal: (signal) => child.kill(signal),
    end: async (signal) => {
      child.kill(signal);
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    },
  };
}

/** Starts two servers over one PostgreSQL behind nginx, with the configuration of docs/deploy.md, and a client. */
export async function startCluster(folder, connections, ...options) {
  const postgres = await startPostgres(folder);
  const url = postgres.url("sendctl");
  const start = (port = 0) => startServer(folder, url, port, ...options);
  const servers = [await start(), await start()];
  const [{ key }] = servers;
  const ports = servers.map(({ port }) => port);
  const nginx = await startNginx(folder, ports);
  const { send, close } = createHttpClient(nginx.port, key, connections);
  return {
    postgres,
    url,
    /** Entries may be replaced. */
    servers,
    /** Starts a server again. */
    start,
    port: nginx.port,
    key,
    send,
    stop: async () => {
      close();
      await nginx.stop();
      await Promise.all(servers.map((server) => server.end("SIGTERM")));
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
