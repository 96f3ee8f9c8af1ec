/** Runs sendctl, and writes in two ways: over HTTP to a server, and with a process per write. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { text } from "node:stream/consumers";
import { program } from "../processes.mjs";
import { createHttpClient } from "./http-client.mjs";

/** Processes that have not exited. They end with this one, also if a signal or an error ends it. */
const running = new Set();

process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => process.exit(1));

/** Ends a process with this one. @returns the process */
function tracked(child) {
  running.add(child);
  child.on("exit", () => running.delete(child));
  return child;
}

/** Creates a user with a folder and a database; a client of a server has none. */
export function createUser(folder, file = join(folder, "sendctl.db")) {
  mkdirSync(folder, { recursive: true });
  const env = { PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: folder, TZ: "UTC" };
  return { folder, file, env };
}

/** Starts sendctl. */
export function start({ folder, file, env }, words, stdio) {
  const args = [program, ...words, ...(file === undefined ? [] : ["--database", file])];
  return tracked(spawn(process.execPath, args, { cwd: folder, env, stdio }));
}

/** Runs sendctl. @returns its exit code, undefined if a signal ended it, and its output */
export async function sendctl(user, ...words) {
  const child = start(user, words, ["ignore", "pipe", "pipe"]);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "exit"),
  ]);
  return { code: code ?? undefined, stdout, stderr };
}

/** Ends a process with a signal, and waits until it has exited. */
export async function end(child, signal) {
  if (!running.has(child)) return;
  const ended = once(child, "exit");
  child.kill(signal);
  await ended;
}

/** Kills all processes with SIGKILL, and waits until they have exited. */
export async function killAll() {
  await Promise.all([...running].map((child) => end(child, "SIGKILL")));
}

/** Starts a server. What it prints is undefined if it exits before. */
export function startServer(user, ...words) {
  const args = ["serve", "--quiet", "--json", "--port", "0", ...words];
  const child = start(user, args, ["ignore", "pipe", "ignore"]);
  let written = "";
  const isUp = () => written.endsWith("}\n");
  const data = new Promise((resolve) => {
    child.stdout.setEncoding("utf8").on("data", (part) => {
      written += part;
      if (isUp()) resolve(JSON.parse(written).data);
    });
    child.once("exit", () => resolve());
  });
  return { child, data, address: data.then((found) => found?.base_url), isUp };
}

/** Starts a server, and waits until it accepts requests. Its key is undefined unless it created one. */
export async function startServing(user, ...words) {
  const { child, data } = startServer(user, ...words);
  const found = await data;
  if (found === undefined) throw new Error(`sendctl serve exited with ${child.exitCode}`);
  const port = Number(new URL(found.base_url).port);
  return { child, pid: child.pid, port, key: found.secret_key };
}

/** Runs a command, and returns its data. @throws Error if it fails */
export async function dataOf(user, ...words) {
  const { code, stdout, stderr } = await sendctl(user, ...words, "--json");
  if (code !== 0) throw new Error(`${words.join(" ")}: ${code} ${stderr}`);
  return JSON.parse(stdout).data;
}

/** Creates a key of the default integration. */
export async function newKey(user) {
  return (await dataOf(user, "local", "key", "create")).secret_key;
}

/** Returns a function that writes over one persistent connection. */
export function overHttp(baseUrl, key) {
  const { send } = createHttpClient(new URL(baseUrl).port, key, 1);
  return async (write) => {
    const { method, path, body } = requestOf(write);
    const { status, text, data } = await send(method, path, body);
    if (status === "lost") return { kind: "lost" };
    if (status === 200 || status === 201) return { kind: "done", data };
    return { kind: status === 503 ? "busy" : "refused", text: `${status} ${text}` };
  };
}

function requestOf({ noun, verb, fields, record }) {
  const collection = `/v1/${noun}`;
  if (verb === "create") {
    return { method: "POST", path: collection, body: fields ?? record };
  }
  const path = `${collection}/${encodeURIComponent(noun === "group" ? record.id : record.name)}`;
  return verb === "delete" ? { method: "DELETE", path } : { method: "PUT", path, body: fields };
}

/** Returns a function that writes with a process per write. @param isOver whether processes may have been killed */
export function onCommandLine(user, isOver) {
  return async (write) => {
    const { code, stdout, stderr } = await sendctl(user, ...wordsOf(user, write), "--json");
    if (code === undefined && isOver()) return { kind: "lost" };
    if (code === 0) return { kind: "done", data: JSON.parse(stdout).data };
    const isBusy = code === 11 && stderr.includes("busy");
    return { kind: isBusy ? "busy" : "refused", text: `exit ${code} ${stderr}` };
  };
}

function wordsOf(user, { noun, verb, fields = {}, record, before, count }) {
  const key = String(noun === "group" ? record.id : record.name);
  if (noun === "sender-id") {
    return verb === "create"
      ? [noun, verb, record.name, "--purpose", record.purpose]
      : [noun, verb, key, "--yes"];
  }
  if (verb === "delete") return [noun, verb, key, "--yes"];
  if (verb === "import") {
    const csv = join(user.folder, `${record.name}.csv`);
    const first = 7_911_000_000 + before.contacts;
    const lines = Array.from({ length: count }, (_, index) => `+44${first + index},Ada\n`);
    writeFileSync(csv, `phone,first_name\n${lines.join("")}`);
    return ["local", "contact", "import", key, csv];
  }
  const words = [];
  for (const [field, value] of Object.entries(fields)) {
    const option = field.replaceAll("_", "-");
    if (field === "name") {
      if (verb === "update") words.push("--name", value);
    } else if (value === null) words.push(`--clear-${option}`);
    else if (typeof value === "boolean") words.push(value ? `--${option}` : `--no-${option}`);
    else words.push(`--${option}`, value);
  }
  return [noun, verb, verb === "create" ? record.name : key, ...words];
}
