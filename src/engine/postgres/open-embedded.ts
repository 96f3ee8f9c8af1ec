import { createEmbedded, type Embedded } from "../embedded.ts";
import type { Microseconds } from "../store.ts";
import type { ConnectionRuntime } from "./connection/address.ts";
import { openPostgresStore } from "./store.ts";

/** Opens the engine on a PostgreSQL database. Parameters and errors are those of `openPostgresStore`. */
export async function openPostgresEmbedded(
  url: string,
  runtime: ConnectionRuntime,
  now: () => Microseconds,
  timeout?: number,
): Promise<Embedded> {
  return createEmbedded(await openPostgresStore(url, runtime, now, timeout), now);
}
