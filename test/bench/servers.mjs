import { once } from "node:events";
import { join } from "node:path";
import { createKey, processorTime, program, spawnOn } from "./processes.mjs";

const serverCore = 0;
const loadCore = 1;

/**
 * A server under measurement, on a core of its own.
 *
 * @typedef {object} Server
 * @property {number} port
 * @property {number} pid
 * @property {string} [key]
 * @property {() => Promise<void>} stop
 */

async function stopped(child, signal) {
  if (child.exitCode !== null) return;
  child.kill(signal);
  await once(child, "exit");
}

/** What a process tells first. @throws Error where it ends before */
async function told(child, emitter, event) {
  const ended = new AbortController();
  const giveUp = () => ended.abort();
  child.once("exit", giveUp);
  try {
    const [first] = await once(emitter, event, { signal: ended.signal });
    return first;
  } catch (cause) {
    throw new Error(`${child.spawnargs.join(" ")} ended with ${child.exitCode}`, { cause });
  } finally {
    child.removeListener("exit", giveUp);
  }
}

/** A script of this folder that tells its port over IPC. @returns {Promise<Server>} */
export async function startScript(name, argv = []) {
  const stdio = ["ignore", "ignore", "inherit", "ipc"];
  const child = spawnOn(serverCore, [join(import.meta.dirname, name), ...argv], { stdio });
  const port = await told(child, child, "message");
  return { port, pid: child.pid, stop: () => stopped(child, "SIGKILL") };
}

/** `sendctl serve`, as it is without any option, on a database. @returns {Promise<Server>} */
export async function startServe(file, env) {
  const key = createKey(file, env);
  const words = ["serve", "--port", "0", "--json", "--database", file];
  const stdio = ["ignore", "pipe", "ignore"];
  const child = spawnOn(serverCore, [program, ...words], { env, stdio });
  const text = await told(child, child.stdout, "data");
  const port = Number(new URL(JSON.parse(text).data.base_url).port);
  return { port, pid: child.pid, key, stop: () => stopped(child, "SIGTERM") };
}

/** The process that sends the requests. */
export function startLoad() {
  const stdio = ["ignore", "ignore", "inherit", "ipc"];
  const child = spawnOn(loadCore, [join(import.meta.dirname, "load.mjs")], { stdio });
  /** For so long; how many answers came a second, and how busy both sides were. */
  const press = async (server, { method, path, body, status = 200 }, milliseconds) => {
    const request = [
      `${method} ${path} HTTP/1.1`,
      `Host: 127.0.0.1:${server.port}`,
      ...(server.key === undefined ? [] : [`Authorization: Bearer ${server.key}`]),
      "Content-Type: application/json",
      ...(body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]),
      "",
      body ?? "",
    ].join("\r\n");
    const before = processorTime(server.pid);
    child.send({ port: server.port, request, status, connections: 50, milliseconds });
    const { perSecond, wrong, busy } = await told(child, child, "message");
    const after = processorTime(server.pid);
    if (wrong > 0) throw new Error(`${method} ${path}: ${wrong} answers were not ${status}`);
    const serverBusy = before === undefined ? undefined : (after - before) / (milliseconds / 1000);
    return { perSecond, serverBusy, loadBusy: busy };
  };
  return { press, stop: () => stopped(child, "SIGKILL") };
}
