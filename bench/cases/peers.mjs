import { spawn, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { performance } from "node:perf_hooks";
import { alternate, bareNode, installed, time } from "../processes.mjs";
import { startBareServer, startLoad, startServe } from "../servers.mjs";
import { alternately } from "./serve.mjs";

const commands = ["gh", "vonage", "firebase", "wrangler", "twilio", "heroku", "netlify"];

/** Measures other installed programs in the same way, without targets. */
export async function* peers(bench) {
  const { env, runs } = bench;
  for (const name of commands) {
    const file = installed(name);
    if (file === undefined) continue;
    const ours = () => {
      const begun = performance.now();
      spawnSync(file, ["--version"], { env });
      return performance.now() - begun;
    };
    const medians = await alternate(
      { ours, base: () => time(bareNode, env) },
      { runs: Math.min(runs, 11) },
    );
    yield { what: `peer: ${name} --version`, ...medians, against: "node -e 0", unit: "ms" };
  }
  yield* servers(bench);
}

async function* servers({ env, folder, large, window }) {
  const load = startLoad();
  const raw = await startBareServer();
  const ours = await startServe(large, env);
  try {
    const description = await fetch(`http://127.0.0.1:${ours.port}/openapi.json`);
    const openapi = join(folder, "openapi.json");
    writeFileSync(openapi, await description.text());
    const page = await fetch(`http://127.0.0.1:${ours.port}/v1/group`, {
      headers: { Authorization: `Bearer ${ours.key}` },
    });
    const records = join(folder, "records.json");
    writeFileSync(records, JSON.stringify({ group: (await page.json()).data.data }));
    const known = [
      { name: "prism", path: "/v1/group", argv: ["mock", "--port", "4711", openapi], port: 4711 },
      { name: "json-server", path: "/group", argv: ["--port", "4712", records], port: 4712 },
    ];
    for (const { name, path, argv, port } of known) {
      const file = installed(name);
      if (file === undefined) continue;
      const child = spawn(file, argv, { env, stdio: "ignore" });
      try {
        await responding(port);
        const peer = { port, pid: child.pid, key: ours.key };
        const asked = [peer, { method: "GET", path }];
        const base = [raw, { method: "GET", path: "/" }];
        const { note: _, ...medians } = await alternately(load, asked, base, window);
        yield {
          what: `peer: ${name}, a list of groups`,
          ...medians,
          against: "raw node:http",
          unit: "/s",
        };
      } finally {
        child.kill("SIGKILL");
      }
    }
  } finally {
    await Promise.all([load, raw, ours].map(({ stop }) => stop()));
  }
}

/** Waits until a server responds. @param {number} port */
async function responding(port) {
  for (let attempt = 0; attempt < 300; attempt += 1) {
    const response = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined);
    if (response !== undefined) return response.arrayBuffer();
    await setTimeout(100);
  }
  throw new Error(`no server on port ${port} after 30 s`);
}
