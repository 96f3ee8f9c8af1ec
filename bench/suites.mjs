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

/**
 * Measured in a process of its own, and printed as JSON: milliseconds, and requests a second over four connections. An
 * emulator limits itself to 5,000 requests.
 */
const program = {
  sendctl: `
    const groups = Array.from({ length: 100 }, (_, index) => ({ name: "Group " + index }));
    const start = (isSeeded) => startService(isSeeded ? { seed: { groups } } : {});
    const read = (service) => [service.url + "/v1/group/1", { Authorization: "Bearer " + service.key }];`,
  emulate: `
    const users = Array.from({ length: 100 }, (_, index) => ({ login: "user" + index }));
    let port = 20000 + Math.floor(Math.random() * 10000);
    const start = (isSeeded) =>
      createEmulator({ service: "github", port: port++, ...(isSeeded && { seed: { github: { users } } }) });
    const read = (service) => [service.url + "/users/user1", {}];`,
};

const measure = `
  const { Agent, get } = require("node:http");
  const { performance } = require("node:perf_hooks");
  const median = (all) => all.toSorted((a, b) => a - b)[all.length >> 1];
  const time = async (act) => { const from = performance.now(); await act(); return performance.now() - from; };
  let service;
  const first = await time(async () => { service = await start(false); });
  await service.close();
  service = await start(true);
  const resets = [];
  for (let n = 0; n < 50; n += 1) resets.push(await time(() => service.reset()));
  const [url, headers] = read(service);
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  const send = () => new Promise((resolve, reject) => {
    get(url, { agent, headers }, (response) => response.resume().on("end", () => {
      if (response.statusCode === 200) resolve(); else reject(new Error(String(response.statusCode)));
    })).on("error", reject);
  });
  const loop = async (count) => { for (let n = 0; n < count; n += 1) await send(); };
  await Promise.all([1, 2, 3, 4].map(() => loop(100)));
  const seconds = (await time(() => Promise.all([1, 2, 3, 4].map(() => loop(800))))) / 1000;
  await service.close();
  agent.destroy();
  const later = [];
  for (let n = 0; n < 20; n += 1) later.push(await time(async () => (await start(false)).close()));
  console.log(JSON.stringify({ first, later: median(later), reset: median(resets), requests: 3200 / seconds }));`;

function runIn(name) {
  const names = { sendctl: "startService", emulate: "createEmulator" };
  const imported = `import { createRequire } from "node:module"; const require = createRequire(import.meta.url);
    import { ${names[name]} } from ${JSON.stringify(pathToFileURL(moduleOf[name]).href)};`;
  const text = `${imported}${program[name]}${measure}`;
  const printed = execFileSync(execPath, ["--input-type=module", "-e", text], { encoding: "utf8" });
  return JSON.parse(printed.trim().split("\n").at(-1));
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
const results = { sendctl: [], emulate: [] };
for (let round = 0; round < rounds; round += 1) {
  for (const name of Object.keys(results)) results[name].push(runIn(name));
}
const median = (name, field) =>
  results[name].map((one) => one[field]).toSorted((a, b) => a - b)[rounds >> 1];
const prism = await startPrism();
const rows = [
  ["first start, ms", "first", 25],
  ["later start and close, ms", "later", 4],
  ["reset with 100 records, ms", "reset", 1],
];
for (const [title, field, target] of rows) {
  const [own, other] = [median("sendctl", field), median("emulate", field)];
  const verdict = own <= target ? "met" : "MISSED";
  console.log(
    `${title.padEnd(28)} ${own.toFixed(2).padStart(8)}  emulate ${other.toFixed(2).padStart(8)}  target ≤ ${target}  ${verdict}`,
  );
}
const [own, other] = [median("sendctl", "requests"), median("emulate", "requests")];
const ratio = own / other;
console.log(
  `requests a second            ${own.toFixed(0).padStart(8)}  emulate ${other.toFixed(0).padStart(8)}  target ≥ 3 ×  ${ratio.toFixed(2)} × ${ratio >= 3 ? "met" : "MISSED"}`,
);
console.log(`Prism, from start to its first response: ${prism.toFixed(0)} ms`);
