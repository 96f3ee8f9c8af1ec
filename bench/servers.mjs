import { once } from "node:events";
import { join } from "node:path";
import { createKey, processorTime, program, spawnOn } from "./processes.mjs";

const serverCore = 0;
const loadCore = 1;

/**
 * A server under measurement, pinned to a core.
 *
 * @typedef {object} Server
 * @property {number} port
 * @property {number} pid
 * @property {string} [key]
 * @property {() => Promise<void>} stop
 */

export async function stopped(child, signal) {
  if (child.exitCode !== null) return;
  child.kill(signal);
  await once(child, "exit");
}

/** Returns the first event of a process. @throws Error if the process exits before */
export async function firstEvent(child, emitter, event) {
  const ended = new AbortController();
  const giveUp = () => ended.abort();
  child.once("exit", giveUp);
  try {
    const [first] = await once(emitter, event, { signal: ended.signal });
    return first;
  } catch (cause) {
    throw new Error(`${child.spawnargs.join(" ")} exited with ${child.exitCode}`, { cause });
  } finally {
    child.removeListener("exit", giveUp);
  }
}

/** Starts a script that sends and receives over IPC. */
function spawnScript(core, script, ...argv) {
  const stdio = ["ignore", "ignore", "inherit", "ipc"];
  return spawnOn(core, [join(import.meta.dirname, script), ...argv], { stdio });
}

/** Starts `bare/server.mjs`. @param {string[]} database none, or one @returns {Promise<Server>} */
export async function startBareServer(...database) {
  const child = spawnScript(serverCore, "bare/server.mjs", ...database);
  const port = await firstEvent(child, child, "message");
  return { port, pid: child.pid, stop: () => stopped(child, "SIGKILL") };
}

/** Starts `sendctl serve` without further options on a database. @returns {Promise<Server>} */
export async function startServe(file, env, { key = createKey(file, env), isPinned = true } = {}) {
  const words = ["serve", "--port", "0", "--json", "--database", file];
  const stdio = ["ignore", "pipe", "ignore"];
  const core = isPinned ? serverCore : undefined;
  const child = spawnOn(core, [program, ...words], { env, stdio });
  const text = await firstEvent(child, child.stdout, "data");
  const port = Number(new URL(JSON.parse(text).data.base_url).port);
  return { port, pid: child.pid, key, stop: () => stopped(child, "SIGTERM") };
}

/** Starts the process that sends the requests. */
export function startLoad() {
  const child = spawnScript(loadCore, "load.mjs");
  /**
   * Sends one kind of request for a time, and returns what `load.mjs` reports and how busy the server was. `given` may
   * be several servers, or one with several keys, and the path several paths.
   */
  const run = async (given, asked, milliseconds, connections = 50) => {
    const servers = [given].flat();
    const { method, path, body, status = 200 } = asked;
    const keys = [...new Set(servers.map(({ key }) => key))];
    const requests = [path]
      .flat()
      .flatMap((each) =>
        keys.map((key) =>
          [
            `${method} ${each} HTTP/1.1`,
            "Host: 127.0.0.1",
            ...(key === undefined ? [] : [`Authorization: Bearer ${key}`]),
            "Content-Type: application/json",
            ...(body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]),
            "",
            body ?? "",
          ].join("\r\n"),
        ),
      );
    const pids = [...new Set(servers.map(({ pid }) => pid))];
    const spent = () => pids.reduce((sum, pid) => sum + processorTime(pid), 0);
    const before = spent();
    const ports = [...new Set(servers.map(({ port }) => port))];
    child.send({ ports, requests, status, connections, milliseconds });
    const { wrong, busy, ...found } = await firstEvent(child, child, "message");
    const after = spent();
    if (wrong > 0) throw new Error(`${method} ${path}: ${wrong} responses were not ${status}`);
    const serverBusy = (after - before) / (milliseconds / 1000);
    return { ...found, serverBusy, loadBusy: busy };
  };
  return { run, stop: () => stopped(child, "SIGKILL") };
}
