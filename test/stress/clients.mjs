/** Runs sendctl, and writes in two ways: over HTTP to a server, and with a process per write. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import process from "node:process";
import { text } from "node:stream/consumers";
import { running, tracked } from "./children.mjs";

const launcher = join(import.meta.dirname, "../../bin/sendctl.js");

/** Creates a user with a folder and a database. */
export function createUser(folder, file = join(folder, "sendctl.db")) {
  mkdirSync(folder, { recursive: true });
  const env = { PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: folder, TZ: "UTC" };
  return { folder, file, env };
}

function start({ folder, file, env }, words, stdio) {
  const args = [launcher, ...words, "--database", file];
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

/** Kills all processes with SIGKILL, and waits until they have exited. */
export async function killAll() {
  const ended = [...running].map((child) => once(child, "exit"));
  for (const child of running) child.kill("SIGKILL");
  await Promise.all(ended);
}

/** Kills a process with SIGKILL, and waits until it has exited. */
export async function kill(child) {
  if (!running.has(child)) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

/** Starts a server. Its address is undefined if it exits before it has one. */
export function startServer(user, ...words) {
  const child = start(
    user,
    ["serve", "--port", "0", "--json", ...words],
    ["ignore", "pipe", "ignore"],
  );
  let written = "";
  const isUp = () => written.endsWith("}\n");
  const address = new Promise((resolve) => {
    child.stdout.setEncoding("utf8").on("data", (part) => {
      written += part;
      if (isUp()) resolve(JSON.parse(written).data.base_url);
    });
    child.once("exit", () => resolve());
  });
  return { child, address, isUp };
}

/** Creates a key of the default integration. */
export async function newKey(user) {
  const { code, stdout, stderr } = await sendctl(user, "local", "key", "create", "--json");
  if (code !== 0) throw new Error(`cannot create a key: ${stderr}`);
  return JSON.parse(stdout).data.secret_key;
}

/** Returns a function that writes over one persistent connection. */
export function overHttp(baseUrl, key) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return (write) =>
    new Promise((resolve) => {
      const { method, path, body } = requestOf(write);
      const sent = request(`${baseUrl}${path}`, {
        method,
        agent,
        headers: {
          Authorization: `Bearer ${key}`,
          ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        },
      });
      sent.on("error", () => resolve({ kind: "lost" }));
      sent.on("response", (response) => {
        text(response).then(
          (body) => resolve(outcomeOf(response.statusCode, body)),
          () => resolve({ kind: "lost" }),
        );
      });
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
}

function outcomeOf(status, body) {
  const envelope = JSON.parse(body);
  if (status === 200 || status === 201) return { kind: "done", data: envelope.data };
  return { kind: status === 503 ? "busy" : "refused", text: `${status} ${body}` };
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
