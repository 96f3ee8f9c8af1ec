/**
 * Counts the files of src that four flows run: `node bench/flows.mjs`. The program is built without bundling. A
 * file counts if one of its functions was called: while the process of a command ran, or in `serve` between a request
 * and its response. Rooms are the folders in src, folders also those below.
 *
 *   --list   print the files as well, in the order in which they were loaded
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import process from "node:process";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { rolldown } from "rolldown";
import { rawTexts } from "../rolldown.config.mjs";
import { startPostgres } from "../test/support/postgres-server.mjs";
import { createHttpClient } from "./stress/http-client.mjs";
import { createHome } from "./processes.mjs";
import { firstEvent, stopped } from "./servers.mjs";

const flowProcess = join(import.meta.dirname, "flow-process.mjs");
const update = ["group", "update", "Customers", "--sender-id", "ACME"];

/** Leaves a sender ID unchanged, creates another and a group with it, and updates a group. */
const manifest = `
sender_ids:
  - name: ACME
    purpose: Orders
  - name: NEWS
    purpose: Newsletters
groups:
  - name: Customers
    send_birthday: true
    birthday_message: Happy birthday, {first_name}!
    sender_id: ACME
  - name: Subscribers
    sender_id: NEWS
`;

const { values } = parseArgs({ options: { list: { type: "boolean", default: false } } });

/** Creates a home, which is removed with this process. */
function temporaryHome() {
  const home = createHome();
  process.once("exit", home.remove);
  return home;
}

/**
 * Builds the program into a folder: a module for each source file, and installed packages where they are.
 *
 * @returns the path of the main module
 */
async function build(folder) {
  const root = resolve(import.meta.dirname, "..");
  const bundle = await rolldown({
    cwd: root,
    input: "./src/cli/main.ts",
    platform: "node",
    external: /^[^./\0]/,
    plugins: [rawTexts],
  });
  const { output } = await bundle.write({
    dir: folder,
    format: "cjs",
    preserveModules: true,
    preserveModulesRoot: root,
  });
  await bundle.close();
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  return join(folder, output.find(({ isEntry }) => isEntry).fileName);
}

const main = await build(temporaryHome().folder);

function start(words, env, stderr) {
  const stdio = ["ignore", "pipe", stderr, "ipc"];
  return spawn(process.execPath, [flowProcess, main, ...words], { stdio, env });
}

/** Runs a command. @returns its output and its files @throws Error if it fails */
async function run(words, env) {
  const child = start(words, env, "pipe");
  let files;
  child.on("message", (sent) => (files = sent));
  const [stdout, stderr, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  if (status !== 0) throw new Error(`${words.join(" ")} exited with ${status}: ${stderr}`);
  return { stdout, files };
}

async function dataOf(words, env) {
  const { stdout } = await run([...words, "--json"], env);
  return JSON.parse(stdout).data;
}

/** Creates the records that the flows change. @returns the id of the group */
async function createRecords(env) {
  await run(["sender-id", "create", "ACME", "--purpose", "Orders"], env);
  const { id } = await dataOf(["group", "create", "Customers"], env);
  return id;
}

/** Calls a function with a server on a new database. */
async function withServer(env, use) {
  const id = await createRecords(env);
  const { secret_key: key } = await dataOf(["local", "key", "create"], env);
  const server = start(["serve", "--port", "0", "--json"], env, "ignore");
  try {
    const printed = await firstEvent(server, server.stdout, "data");
    return await use({ server, url: JSON.parse(printed).data.base_url, key, id });
  } finally {
    await stopped(server, "SIGTERM");
  }
}

function runOverHttp(words, env) {
  return withServer(env, ({ url, key }) =>
    run(words, { ...env, SENDCTL_BASE_URL: url, SENDCTL_SECRET_KEY: key }),
  );
}

/** Returns the files that a server runs for its first request. */
function filesOfPut(env) {
  return withServer(env, async ({ server, url, key, id }) => {
    const takeFiles = () => {
      server.send("take");
      return firstEvent(server, server, "message");
    };
    const { send, close } = createHttpClient(new URL(url).port, key, 1);
    // A new server sweeps its database in the background, which is not part of the flow.
    await setTimeout(500);
    await takeFiles();
    const response = await send("PUT", `/v1/group/${id}`, { sender_id: "ACME" });
    close();
    if (response.status !== 200) throw new Error(`PUT: ${response.status} ${response.text}`);
    return takeFiles();
  });
}

function print(flow, files) {
  const rooms = new Set(files.map((file) => file.split("/")[1]));
  const folders = new Set(files.map((file) => dirname(file)));
  const counts = `${files.length} files in ${rooms.size} rooms, ${folders.size} folders`;
  const list = values.list ? files.map((file) => `  ${file}\n`).join("") : "";
  process.stdout.write(`${flow}: ${counts}\n${list}`);
}

const embedded = temporaryHome();
await createRecords(embedded.env);
print("group update, embedded", (await run(update, embedded.env)).files);

print("group update over HTTP", (await runOverHttp(update, temporaryHome().env)).files);

const manifests = temporaryHome();
const file = join(manifests.folder, "sendctl.yaml");
writeFileSync(file, manifest);
print("apply over HTTP", (await runOverHttp(["apply", file, "--yes"], manifests.env)).files);

const served = temporaryHome();
const put = "PUT to serve on PostgreSQL";
const postgres = await startPostgres().catch((error) => {
  process.stdout.write(`${put}: skipped, PostgreSQL could not be started (${error.message})\n`);
});
if (postgres !== undefined) {
  const env = { ...served.env, SENDCTL_DATABASE: postgres.url("flows") };
  print(put, await filesOfPut(env));
  await postgres.stop();
}
