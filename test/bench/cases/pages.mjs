import { resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { rolldown } from "rolldown";
import { alternate } from "../processes.mjs";

/** Larger than the pages that are cached after a read. */
const perPage = 101;
const calls = 100;

/** Bundles the engine into a folder from which better-sqlite3 can be imported. */
async function bundleEngine() {
  const root = resolve(import.meta.dirname, "../../..");
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

/** Measures pages of the engine in this process, without the time of a start-up. */
export async function* pages({ runs, rows, large, small }) {
  const { openEmbedded } = await bundleEngine();
  const opened = [openEmbedded(large, now), openEmbedded(small, now)];
  const [ofMany, ofFew] = await Promise.all(opened.map((one) => one.service(undefined)));
  /** Returns microseconds per page. */
  const pageOf = async (service, page) => {
    const query = { perPage: String(perPage), page: String(page) };
    const begun = performance.now();
    for (let call = 0; call < calls; call += 1) {
      const { envelope } = await service["group.list"]({ query });
      if (envelope.data.data.length !== perPage) throw new Error(`Page ${page} is not full`);
    }
    return ((performance.now() - begun) * 1000) / calls;
  };
  const first = () => pageOf(ofMany, 1);
  const last = Math.floor(rows / perPage);
  const many = rows.toLocaleString("en");
  const row = async (what, ours, base, against, target) => ({
    what,
    ...(await alternate({ ours, base }, { runs: Math.min(runs, 21) })),
    against,
    unit: "µs",
    target,
  });
  try {
    yield await row(
      `page 1 of ${many} vs. of 1,000, in process`,
      first,
      () => pageOf(ofFew, 1),
      "1,000 rows",
      { max: 1.1 },
    );
    yield await row(
      "last page vs. page 1, in process",
      () => pageOf(ofMany, last),
      first,
      "page 1",
      { max: 3 },
    );
    if (rows <= 100_000) return;
    // The worst case, which skips half of the records, has no target.
    yield await row(
      "middle page, out of order, in process",
      () => pageOf(ofMany, Math.ceil(last / 2)),
      first,
      "page 1",
    );
  } finally {
    await Promise.all(opened.map(({ close }) => close()));
  }
}
