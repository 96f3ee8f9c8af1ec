import type { PartialBehaviour } from "../../src/contract/behaviour.ts";
import { startServing } from "../../src/server/serve.ts";
import { createEmbedded, type Embedded } from "../../src/engine/embedded.ts";
import { openMemoryStore, openSqliteStore } from "../../src/engine/sqlite/store.ts";
import type { Page } from "../../src/contract/service.ts";

/** A server of the engine with a behaviour. */
export interface ServedBehaviour {
  readonly baseUrl: string;
  readonly key: string;
  readonly groupCount: () => Promise<number>;
  readonly close: () => Promise<void>;
}

/** Returns the microseconds since 1970. */
const currentTime = (): number => Date.now() * 1000;

const elapsed = (): number => performance.now();

/** Serves an engine in memory with a behaviour and one sender ID, ACME. */
export async function servedBehaviour(behaviour: PartialBehaviour): Promise<ServedBehaviour> {
  const engine = createEmbedded(openMemoryStore(currentTime), currentTime, behaviour);
  const service = await engine.service(undefined);
  await service["sender-id.create"]({ body: { name: "ACME", purpose: "Orders" } });
  return serveEngine(engine);
}

/** Serves a database with a behaviour. @param now microseconds since 1970 */
export function servedDatabase(
  behaviour: PartialBehaviour,
  file: string,
  now: () => number,
): Promise<ServedBehaviour> {
  return serveEngine(createEmbedded(openSqliteStore(file, now), now, behaviour));
}

async function serveEngine(engine: Embedded): Promise<ServedBehaviour> {
  const serving = await startServing(
    engine,
    { host: "127.0.0.1", port: 0, rateLimit: undefined, served: () => {} },
    { elapsed, printError: async () => {} },
  );
  const created = await engine.administration.createKey("default");
  const service = await engine.service(undefined);
  return {
    baseUrl: `http://127.0.0.1:${serving.port}`,
    key: (created.envelope!.data as { readonly secret_key: string }).secret_key,
    groupCount: async () => {
      const { envelope } = await service["group.list"]({ query: {} });
      return (envelope!.data as Page<unknown>).total;
    },
    close: async () => {
      // Its clients have ended.
      serving.abort();
      await serving.stop();
      await engine.close();
    },
  };
}
