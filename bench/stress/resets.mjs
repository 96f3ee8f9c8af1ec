/**
 * Resets under load: four workers send requests to one service, each with an integration of its own that it resets, while
 * a fifth resets everything now and then. No request may see another worker's records or half a reset, and memory must
 * stay flat.
 *
 * Usage: node --expose-gc bench/stress/resets.mjs [RESETS, default 1000]
 */
import { memoryUsage } from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { startService } from "../../dist/testing.mjs";

const resets = Number(process.argv[2] ?? 1000);
const seed = { groups: Array.from({ length: 20 }, (_, index) => ({ name: `Seed ${index}` })) };
const service = await startService({ seed });
const problems = [];

async function send(key, method, path, body) {
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  const init = { method, headers, body: body && JSON.stringify(body) };
  const response = await fetch(`${service.url}/v1${path}`, init);
  return { status: response.status, data: (await response.json()).data };
}

async function namesOf(key) {
  const { data } = await send(key, "GET", "/group?perPage=1000");
  return data.data.map(({ name }) => name);
}

/** Creates groups, checks that it sees only its own, and empties its integration. */
async function work(worker, count) {
  const key = await service.integration(`worker ${worker}`);
  for (let round = 0; round < count; round += 1) {
    await service.reset({ integration: `worker ${worker}` });
    const left = await namesOf(key);
    if (left.length > 0) problems.push(`worker ${worker}: ${left.length} groups after a reset`);
    const name = `${worker}/${round}`;
    await Promise.all(
      [1, 2, 3].map((number) => send(key, "POST", "/group", { name: `${name}/${number}` })),
    );
    const names = await namesOf(key);
    const others = names.filter((other) => !other.startsWith(`${name}/`));
    if (others.length > 0) problems.push(`worker ${worker}: sees ${others[0]}`);
    if (names.length !== 3) problems.push(`worker ${worker}: ${names.length} of 3 groups`);
  }
}

/** Reads the seed while it is reset and changed: a list has all of it, or what was just created with it. */
async function watch(isEnded) {
  while (!isEnded()) {
    const names = await namesOf(service.key);
    const count = names.filter((name) => name.startsWith("Seed ")).length;
    if (count !== 20) problems.push(`half a reset: ${count} of 20 groups of the seed`);
  }
}

function usedMemory() {
  globalThis.gc?.();
  const { heapUsed, rss } = memoryUsage();
  return { heap: heapUsed / 2 ** 20, rss: rss / 2 ** 20 };
}

const before = performance.now();
await Promise.all([1, 2, 3, 4].map((worker) => work(worker, resets / 8)));
const half = usedMemory();
await Promise.all([1, 2, 3, 4].map((worker) => work(worker, resets / 8)));
// Whole resets, in a service of its own: they empty the integrations of workers, too.
let isEnded = false;
const watched = [watch(() => isEnded), watch(() => isEnded)];
for (let round = 0; round < resets / 10; round += 1) {
  await send(service.key, "POST", "/group", { name: `Extra ${round}` });
  await service.reset();
  await sleep(1);
}
isEnded = true;
await Promise.all(watched);
const after = usedMemory();
const seconds = (performance.now() - before) / 1000;
await service.close();

console.log(
  `${resets} resets of integrations and ${resets / 10} whole ones in ${seconds.toFixed(1)} s`,
);
console.log(
  `heap ${half.heap.toFixed(1)} → ${after.heap.toFixed(1)} MiB, resident ${half.rss.toFixed(0)} → ${after.rss.toFixed(0)} MiB`,
);
console.log(problems.length === 0 ? "0 problems" : problems.slice(0, 10).join("\n"));
process.exitCode = problems.length === 0 ? 0 : 1;
