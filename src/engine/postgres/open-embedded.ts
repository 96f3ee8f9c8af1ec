import { createEmbedded, type Embedded } from "../embedded.ts";
import type { Microseconds } from "../store.ts";
import type { Surroundings } from "./connection/address.ts";
import { openPostgresStore } from "./store.ts";

/** The engine on a PostgreSQL database. Parameters and failures are those of `openPostgresStore`. */
export async function openPostgresEmbedded(
  url: string,
  surroundings: Surroundings,
  now: () => Microseconds,
  patience?: number,
): Promise<Embedded> {
  return createEmbedded(await openPostgresStore(url, surroundings, now, patience), now);
}
