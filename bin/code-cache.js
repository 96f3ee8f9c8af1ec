"use strict";

/**
 * The last step of the build: runs the most frequent commands, and stores the code that V8 compiled for `sendctl.js`.
 * Only the version of Node that runs the build can use it.
 */

const { isAscii } = require("node:buffer");
const { mkdtempSync, rmSync, writeFileSync } = require("node:fs");
const { tmpdir } = require("node:os");
const path = require("node:path");
const { PassThrough, Writable } = require("node:stream");
const { after, before, compiled, load } = require("./sendctl.js");

/** @param {string} folder @param {Record<string, string>} env @param {object} terminal properties of stdout */
function runtimeIn(folder, env, terminal = {}) {
  const written = [];
  let stop;
  const stream = new Writable({
    decodeStrings: false,
    write(chunk, _, done) {
      written.push(String(chunk));
      done();
    },
  });
  return {
    stdin: new PassThrough().end(),
    stdout: Object.assign(stream, terminal),
    stderr: new Writable({ write: (_chunk, _encoding, done) => done() }),
    env: { XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, ...env },
    folder,
    home: folder,
    now: () => Date.now() * 1000,
    random: Math.random,
    sleep: async () => {},
    onStop: (listener, signals = ["SIGTERM"]) => {
      if (!signals.includes("SIGTERM")) return () => {};
      stop = listener;
      return () => {};
    },
    written,
    stop: () => stop?.("SIGTERM"),
  };
}

/** Uses what commands use of their process, which have others here. */
function useOwn({ stdout, stderr, env, folder, home, now }) {
  for (const stream of [stdout, stderr]) stream.write("", () => {});
  return [env.PATH, folder, home, now()];
}

async function run(folder) {
  const { main, processRuntime } = load("./base.cjs");
  const command = (words, env = {}, terminal = {}) =>
    main(words.split(" "), runtimeIn(folder, env, terminal));
  useOwn(processRuntime());
  await command("--help");
  await command("group create Friends");
  // The properties of characters are loaded for scripts like Thai, and those of emoji.
  await command("group create เพื่อน🎉");
  await command("sender-id create ACME --purpose Orders");
  await command("group list --json --database other.db");
  await command("group list");
  await command("group list", {}, { isTTY: true, columns: 80 });
  const server = runtimeIn(folder, {});
  const serving = main(["serve", "--port", "0", "--json"], server);
  while (server.written.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const { data, message, error } = JSON.parse(server.written.join(""));
  if (data === null) throw new Error(`${message}. ${error?.hint ?? ""}`);
  const { base_url, secret_key } = data;
  const remote = { SENDCTL_BASE_URL: base_url, SENDCTL_SECRET_KEY: secret_key };
  await command("group list --json", remote);
  await command("group create Others", remote);
  server.stop();
  await serving;
}

async function storeCode() {
  const folder = mkdtempSync(path.join(tmpdir(), "sendctl-build-"));
  try {
    await run(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
  for (const { filename, source, script } of compiled) {
    // Its commands are seldom started, and it would be a fifteenth of the package.
    if (path.basename(filename) === "commands-seldom.cjs") continue;
    if (!isAscii(source)) throw new Error(`${filename} has characters outside ASCII`);
    const text = Buffer.from(before + source.toString() + after);
    writeFileSync(`${filename}.code`, Buffer.concat([text, script.createCachedData()]));
  }
  process.stdout.write("Built dist\n");
}

void storeCode();
