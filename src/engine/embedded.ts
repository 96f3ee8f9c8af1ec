import type { Service } from "../contract/service.ts";
import { createEngine } from "./engine.ts";
import { integrationOfKey } from "./keys.ts";
import { openSqliteStore } from "./sqlite/store.ts";
import { defaultIntegration, type Microseconds } from "./store.ts";

/** A service in this process, and how to be done with it. */
export interface Embedded {
  readonly service: Service;
  readonly close: () => Promise<void>;
}

/**
 * The engine on an SQLite file, for the integration that a key selects; for the default one without a key.
 *
 * @param file absolute path of the database, which is made where there is none
 * @param now the time, in microseconds since 1970
 * @throws Failure "database" when the file can't be used, "key" for a key that it did not issue
 */
export async function openEmbedded(
  file: string,
  key: string | undefined,
  now: () => Microseconds,
): Promise<Embedded> {
  const store = openSqliteStore(file, now);
  try {
    const integration = key === undefined ? defaultIntegration : await integrationOfKey(store, key);
    return { service: createEngine(store, integration), close: store.close };
  } catch (error) {
    await store.close();
    throw error;
  }
}
