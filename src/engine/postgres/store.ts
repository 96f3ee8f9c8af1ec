import type { Microseconds, Store } from "../store.ts";
import { readAddress, type ConnectionRuntime } from "./connection/address.ts";
import { contactMethods } from "./contacts.ts";
import { integrationMethods } from "./integrations.ts";
import { openQueries } from "./queries.ts";
import { recordMethods } from "./records.ts";
import { reviewMethods } from "./review.ts";
import { seedMethods } from "./seeding.ts";

/**
 * The Store on a PostgreSQL database, whose tables are made where there are none.
 *
 * @param url postgres://USER:PASSWORD@HOST:PORT/NAME
 * @param now the time, in microseconds since 1970
 * @param timeout how long to wait for a connection at most, in milliseconds
 * @throws SendctlError "usage" for an address that makes no sense, "database" when it can't be used
 */
export async function openPostgresStore(
  url: string,
  runtime: ConnectionRuntime,
  now: () => Microseconds,
  timeout?: number,
): Promise<Store> {
  const queries = await openQueries(readAddress(url, runtime, timeout));
  return {
    ...recordMethods(queries, now),
    ...integrationMethods(queries, now),
    ...contactMethods(queries),
    ...reviewMethods(queries),
    ...seedMethods(queries, now),
    // PostgreSQL keeps its files itself.
    refuseReplaced: async () => {},
    close: queries.close,
  };
}
