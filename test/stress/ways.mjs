/** The two ways to write: over HTTP to a server, and as a process of the command line. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import process from "node:process";
import { text } from "node:stream/consumers";

const launcher = join(import.meta.dirname, "../../bin/sendctl.js");

/** Everything that was started and has not ended. */
const running = new Set();

/** A user with a folder and a database of their own. */
export function createUser(folder, file = join(folder, "sendctl.db")) {
  mkdirSync(folder, { recursive: true });
  const env = { PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: folder, TZ: "UTC" };
  return { folder, file, env };
}

function start({ folder, file, env }, words, stdio) {
  const args = [launcher, ...words, "--database", file];
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio });
  running.add(child);
  child.on("exit", () => running.delete(child));
  return child;
}

/** @returns code, undefined where a signal ended it, and what it wrote */
export async function sendctl(user, ...words) {
  const child = start(user, words, ["ignore", "pipe", "pipe"]);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "exit"),
  ]);
  return { code: code ?? undefined, stdout, stderr };
}

/** Kills all that runs, with no chance to tidy up; fulfilled when nothing does. */
export async function killAll() {
  const ended = [...running].map((child) => once(child, "exit"));
  for (const child of running) child.kill("SIGKILL");
  await Promise.all(ended);
}

/** Kills one process. */
export async function kill(child) {
  if (!running.has(child)) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

/** A server; its address is undefined where it ends before it has one. */
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

/** A key of the default integration. */
export async function newKey(user) {
  const { code, stdout, stderr } = await sendctl(user, "local", "key", "create", "--json");
  if (code !== 0) throw new Error(`no key: ${stderr}`);
  return JSON.parse(stdout).data.secret_key;
}

/** Writes over one connection that is kept. */
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
          (answer) => resolve(outcomeOf(response.statusCode, answer)),
          () => resolve({ kind: "lost" }),
        );
      });
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
}

function outcomeOf(status, answer) {
  const envelope = JSON.parse(answer);
  if (status === 200 || status === 201) return { kind: "done", data: envelope.data };
  return { kind: status === 503 ? "busy" : "refused", text: `${status} ${answer}` };
}

function requestOf({ noun, verb, fields, record }) {
  const collection = `/v1/${noun}`;
  if (verb === "create") {
    return { method: "POST", path: collection, body: fields ?? record };
  }
  const path = `${collection}/${encodeURIComponent(noun === "group" ? record.id : record.name)}`;
  return verb === "delete" ? { method: "DELETE", path } : { method: "PUT", path, body: fields };
}

/** A process for each write. @param isOver whether it may have been killed */
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
