import type { PartialBehaviour } from "../../contract/behaviour.ts";
import { createEmbedded, type Embedded } from "../embedded.ts";
import type { Microseconds } from "../store.ts";
import type { ConnectionRuntime } from "./connection/address.ts";
import { openPostgresStore } from "./store.ts";

/** Opens the engine on a PostgreSQL database: see `openPostgresStore` and `createEmbedded`. */
export async function openPostgresEmbedded(
  url: string,
  runtime: ConnectionRuntime,
  now: () => Microseconds,
  timeout?: number,
  given?: PartialBehaviour,
  migrates = true,
): Promise<Embedded> {
  const store = await openPostgresStore(url, runtime, now, timeout, migrates);
  return createEmbedded(store, now, given);
}
