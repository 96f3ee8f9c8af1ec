import { createEmbedded, type Embedded, type OpenOptions } from "../embedded.ts";
import type { Microseconds, Store } from "../store.ts";
import { readAddress, type ConnectionRuntime } from "./connection/address.ts";
import { contactMethods } from "./contacts/contacts.ts";
import { createHealthCheck } from "./health.ts";
import { integrationMethods } from "./integrations.ts";
import { openQueries } from "./queries.ts";
import { recordMethods } from "./records.ts";
import { reviewMethods } from "../store/review.ts";
import { seedMethods } from "./seeding.ts";

/** Opens the engine on a PostgreSQL database: see `openPostgresStore` and `createEmbedded`. */
export async function openPostgresEmbedded(
  url: string,
  runtime: ConnectionRuntime,
  now: () => Microseconds,
  { behaviour, ...options }: OpenOptions = {},
): Promise<Embedded> {
  return createEmbedded(await openPostgresStore(url, runtime, now, options), now, behaviour);
}

/**
 * Opens a Store on a PostgreSQL database and creates missing tables.
 *
 * @param url postgres://USER:PASSWORD@HOST:PORT/NAME
 * @param now time in microseconds since 1970
 * @throws SendctlError "usage" for an invalid address, "database" if the database cannot be used
 */
export async function openPostgresStore(
  url: string,
  runtime: ConnectionRuntime,
  now: () => Microseconds,
  { timeout, migrates }: Omit<OpenOptions, "behaviour"> = {},
): Promise<Store> {
  const queries = await openQueries(readAddress(url, runtime, timeout), { migrates });
  return {
    ...recordMethods(queries, now),
    ...integrationMethods(queries, now),
    ...contactMethods(queries),
    ...reviewMethods(queries, (subquery) => `= ANY(ARRAY(${subquery}))`),
    ...seedMethods(queries, now),
    checkHealth: createHealthCheck(queries),
    activity: queries.activity,
    onRetry: queries.onRetry,
    close: queries.close,
  };
}
