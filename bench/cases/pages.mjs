import { resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { rolldown } from "rolldown";
import { alternate } from "../processes.mjs";

/** Larger than the pages that are cached after a read. */
const perPage = 101;
const calls = 100;

/** Bundles the engine into a folder from which better-sqlite3 can be imported. */
async function bundleEngine() {
  const root = resolve(import.meta.dirname, "../..");
  const bundle = await rolldown({
    input: resolve(root, "src/engine/embedded.ts"),
    platform: "node",
    external: [/^better-sqlite3/],
  });
  const dir = resolve(root, "node_modules/.cache/sendctl-bench");
  await bundle.write({ dir, format: "esm", entryFileNames: "engine.mjs" });
  await bundle.close();
  return import(resolve(dir, "engine.mjs"));
}

/** Microseconds since 1970. */
function now() {
  return Date.now() * 1000;
}

/** Returns microseconds per page. */
async function firstPageOf(service) {
  const query = { perPage: String(perPage) };
  const begun = performance.now();
  for (let call = 0; call < calls; call += 1) {
    const { envelope } = await service["group.list"]({ query });
    if (envelope.data.data.length !== perPage) throw new Error("The page is not full");
  }
  return ((performance.now() - begun) * 1000) / calls;
}

/** Measures pages of the engine in this process, without the time of a start-up. */
export async function* pages({ runs, rows, large, small }) {
  const { openEmbedded } = await bundleEngine();
  const opened = [openEmbedded(large, now), openEmbedded(small, now)];
  const [ofMany, ofFew] = await Promise.all(opened.map((one) => one.service(undefined)));
  const measure = { ours: () => firstPageOf(ofMany), base: () => firstPageOf(ofFew) };
  try {
    yield {
      what: `page 1 of ${rows.toLocaleString("en")} vs. of 1,000, in process`,
      ...(await alternate(measure, { runs: Math.min(runs, 21) })),
      against: "1,000 rows",
      unit: "µs",
      target: { max: 1.1 },
    };
  } finally {
    await Promise.all(opened.map(({ close }) => close()));
  }
}
