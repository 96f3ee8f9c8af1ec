/**
 * The service inside a test suite, beside other tools: emulate (a stateful emulator in the process) and Prism (a mock
 * from an OpenAPI document). They are installed into a folder for temporary files.
 *
 * Usage: node bench/suites.mjs [ROUNDS, default 9]
 */
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { argv, execPath } from "node:process";
import { pathToFileURL } from "node:url";
import { firstEvent, startLoad, stopped } from "./servers.mjs";

const rounds = Number(argv[2] ?? 9);
const root = join(import.meta.dirname, "..");
const folder = join(tmpdir(), "sendctl-bench-suites");
const packages = ["emulate@0.12.2", "@stoplight/prism-cli@5.14.2"];

function install() {
  mkdirSync(folder, { recursive: true });
  if (existsSync(join(folder, "node_modules/emulate"))) return;
  writeFileSync(join(folder, "package.json"), '{"private":true}');
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--silent"];
  execFileSync("npm", ["install", ...options, ...packages], { cwd: folder, stdio: "inherit" });
}

const moduleOf = {
  sendctl: join(root, "dist/testing.mjs"),
  emulate: join(folder, "node_modules/emulate/dist/api.js"),
};

/** What the process of each begins with. An emulator allows 5,000 requests an hour for each key. */
const program = {
  sendctl: `
    const groups = Array.from({ length: 100 }, (_, index) => ({ name: "Group " + index }));
    const start = (isSeeded) => startService(isSeeded ? { seed: { groups } } : {});
    const list = ({ url, key }) => ({ url: url + "/v1/group", keys: [key] });`,
  emulate: `
    const customers = Array.from({ length: 100 }, (_, index) => ({ name: "Customer " + index }));
    let port = 20000 + Math.floor(Math.random() * 10000);
    const start = (isSeeded) =>
      createEmulator({ service: "stripe", port: port++, ...(isSeeded && { seed: { stripe: { customers } } }) });
    const keys = Array.from({ length: 40 }, (_, index) => "sk_test_" + index);
    const list = ({ url }) => ({ url: url + "/v1/customers?limit=15", keys });`,
};

/** Milliseconds, measured in a process of its own, which then serves a list of 15 records until it is ended. */
const measure = `
  const { performance } = require("node:perf_hooks");
  const median = (all) => all.toSorted((a, b) => a - b)[all.length >> 1];
  const time = async (act) => { const from = performance.now(); await act(); return performance.now() - from; };
  let service;
  const first = await time(async () => { service = await start(isSeeded); });
  await service.close();
  const later = [];
  for (let n = 0; n < 20; n += 1) later.push(await time(async () => (await start(isSeeded)).close()));
  service = await start(true);
  const resets = [];
  for (let n = 0; n < 50; n += 1) resets.push(await time(() => service.reset()));
  process.send({ first, later: median(later), reset: median(resets), ...list(service) });`;

/** Measures one of them, if asked with the requests a second over 50 connections from another process. */
async function runIn(name, isSeeded, load) {
  const names = { sendctl: "startService", emulate: "createEmulator" };
  const imported = `import { createRequire } from "node:module"; const require = createRequire(import.meta.url);
    import { ${names[name]} } from ${JSON.stringify(pathToFileURL(moduleOf[name]).href)};`;
  const text = `${imported}const isSeeded = ${isSeeded};${program[name]}${measure}`;
  const stdio = ["ignore", "ignore", "inherit", "ipc"];
  const child = spawn(execPath, ["--input-type=module", "-e", text], { stdio });
  try {
    const { url, keys, ...times } = await firstEvent(child, child, "message");
    if (load === undefined) return times;
    const { port, pathname, search } = new URL(url);
    const asked = { method: "GET", path: `${pathname}${search}` };
    const servers = keys.map((key) => ({ port, pid: child.pid, key }));
    await load.run(servers, asked, 500);
    const { perSecond } = await load.run(servers, asked, 1500);
    return { ...times, requests: perSecond };
  } finally {
    await stopped(child, "SIGKILL");
  }
}

/** Returns milliseconds until Prism answers; it has no state to reset. */
async function startPrism() {
  const document = join(folder, "openapi.json");
  writeFileSync(
    document,
    execFileSync(execPath, [join(root, "bin/sendctl.js"), "schema", "openapi"]),
  );
  const port = 30_000 + Math.floor(Math.random() * 2000);
  const from = performance.now();
  const prism = join(folder, "node_modules/@stoplight/prism-cli/dist/index.js");
  const child = spawn(execPath, [prism, "mock", "-p", String(port), document], { stdio: "ignore" });
  try {
    for (;;) {
      const response = await fetch(`http://127.0.0.1:${port}/v1/group`).catch(() => undefined);
      if (response !== undefined) return performance.now() - from;
    }
  } finally {
    child.kill();
  }
}

install();
const load = startLoad();
const results = { sendctl: [], emulate: [], seeded: [] };
for (let round = 0; round < rounds; round += 1) {
  results.sendctl.push(await runIn("sendctl", false, load));
  results.emulate.push(await runIn("emulate", false, load));
  results.seeded.push(await runIn("sendctl", true));
}
await load.stop();
const median = (name, field) =>
  results[name].map((one) => one[field]).toSorted((a, b) => a - b)[rounds >> 1];
const row = (title, own, other, target) =>
  console.log(
    [
      title.padEnd(34),
      own.padStart(8),
      `  emulate ${other.padStart(8)}`,
      `  target ${target}`,
    ].join(""),
  );
for (const [title, name, field, max] of [
  ["first start, ms", "sendctl", "first", 25],
  ["later start and close, ms", "sendctl", "later", 4],
  ["reset with 100 records, ms", "sendctl", "reset", 1],
  ["first start with 100 records, ms", "seeded", "first", undefined],
  ["later start with 100 records, ms", "seeded", "later", undefined],
]) {
  const own = median(name, field);
  const other = name === "seeded" ? "" : median("emulate", field).toFixed(2);
  const target = max === undefined ? "–" : `≤ ${max}  ${own <= max ? "met" : "MISSED"}`;
  row(title, own.toFixed(2), other, target);
}
const [own, other] = [median("sendctl", "requests"), median("emulate", "requests")];
const verdict = `${(own / other).toFixed(2)} × ${own >= 3 * other ? "met" : "MISSED"}`;
row("lists of 15 records a second", own.toFixed(0), other.toFixed(0), `≥ 3 ×  ${verdict}`);
console.log(`Prism, from start to its first response: ${(await startPrism()).toFixed(0)} ms`);
