import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import {
  alternate,
  alternateStarts,
  bare as bareScript,
  bareNode,
  createKey,
  median,
  program,
  time,
} from "../processes.mjs";
import { startBareServer, startLoad, startServe } from "../servers.mjs";

const create = { method: "POST", path: "/v1/group", body: '{"name":"Bench"}', status: 201 };

/** Loads `sendctl serve` and a bare node:http alternately. */
export async function* serve(bench) {
  const { env, folder, rows, large, window } = bench;
  const fresh = join(folder, "served.db");
  const plain = join(folder, "plain.db");
  time([program, "local", "key", "create", "--database", plain], env);
  const load = startLoad();
  const raw = await startBareServer();
  const ofMany = await startServe(large, env);
  const ofFresh = await startServe(fresh, env);
  const single = await startBareServer(plain);
  const row = async (what, [ours, asked], [base, askedOfBase, against], min) => ({
    what,
    ...(await alternately(load, [ours, asked], [base, askedOfBase], window)),
    against,
    unit: "/s",
    target: { min },
  });
  const bare = [raw, { method: "GET", path: "/" }, "raw node:http"];
  const many = rows.toLocaleString("en");
  try {
    const alone = [single, create, "one transaction each"];
    const fetch = { method: "GET", path: `/v1/group/${Math.ceil(rows / 2)}` };
    const list = { method: "GET", path: "/v1/group" };
    yield await row("serve: fetch by id", [ofMany, fetch], bare, 0.5);
    yield await row(`serve: list of 15 of ${many}`, [ofMany, list], bare, 0.6);
    yield await row("serve: durable create", [ofFresh, create], bare, 0.35);
    yield await row("serve: durable create", [ofFresh, create], alone, 6);
    yield await ready(bench);
    yield* remoteList(bench, ofMany);
  } finally {
    await Promise.all([load, raw, ofMany, ofFresh, single].map(({ stop }) => stop()));
  }
}

/**
 * Returns the responses per second of both, and a note with their latency and processor times, which other load
 * disturbs less.
 */
export async function alternately(load, [ours, asked], [base, askedOfBase], window) {
  const { windows, milliseconds } = window;
  const results = { ours: [], base: [] };
  for (let nth = -1; nth < windows; nth += 1) {
    const length = nth < 0 ? milliseconds / 2 : milliseconds;
    const one = await load.run(ours, asked, length);
    const other = await load.run(base, askedOfBase, length);
    if (nth < 0) continue;
    results.ours.push(one);
    results.base.push(other);
  }
  const [one, other] = [mediansOf(results.ours), mediansOf(results.base)];
  const work = microseconds(other) / microseconds(one);
  return {
    ours: one.perSecond,
    base: other.perSecond,
    note: Number.isNaN(work)
      ? undefined
      : `by processor time ${work.toFixed(2)} ×; sendctl ${textOf(one)}; baseline ${textOf(other)}`,
  };
}

function mediansOf(results) {
  const of = (field) => median(results.map((result) => result[field]));
  return Object.fromEntries(Object.keys(results[0]).map((field) => [field, of(field)]));
}

/** Returns the processor time of the server for one response. */
function microseconds({ perSecond, serverBusy }) {
  return (serverBusy / perSecond) * 1e6;
}

function textOf(result) {
  const { p50, p99, serverBusy, loadBusy } = result;
  const busy = `${percent(serverBusy)} busy (load ${percent(loadBusy)})`;
  return `${microseconds(result).toFixed(0)} µs, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${busy}`;
}

function percent(share) {
  return `${Math.round(share * 100)}%`;
}

/** Measures from the start of the process to the first accepted connection. */
async function ready({ env, folder, runs }) {
  const file = join(folder, "ready.db");
  const key = createKey(file, env);
  const ours = async () => {
    const begun = performance.now();
    const { port, stop } = await startServe(file, env, { key, isPinned: false });
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    const taken = performance.now() - begun;
    socket.destroy();
    await stop();
    return taken;
  };
  const base = async () => {
    const begun = performance.now();
    await once(spawn(process.execPath, bareNode, { env, stdio: "ignore" }), "exit");
    return performance.now() - begun;
  };
  const medians = await alternate({ ours, base }, { runs: Math.min(runs, 21) });
  const what = "serve until the first connection";
  return { what, ...medians, against: "node -e 0", unit: "ms", target: { max: 1.9 } };
}

/** Measures a command against a server on this machine, and the least that a client has to do. */
async function* remoteList({ env, runs }, { port, key }) {
  const remote = {
    ...env,
    SENDCTL_BASE_URL: `http://127.0.0.1:${port}`,
    SENDCTL_SECRET_KEY: key,
  };
  const ours = [program, "group", "list", "--json"];
  const baselines = [
    { argv: bareNode, against: "node -e 0", max: 1.85 },
    { argv: [bareScript("get.cjs"), String(port), key], against: "bare get.cjs", max: 1.25 },
  ];
  for (const { argv, against, max } of baselines) {
    const medians = await alternateStarts([ours, remote], [argv, env], runs);
    const what = "remote list --json over loopback";
    yield { what, ...medians, against, unit: "ms", target: { max } };
  }
}
