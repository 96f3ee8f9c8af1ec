import { openLateStore, type IntegrationStore, type Store } from "../store/store.ts";
import {
  defaultIntegration,
  type Microseconds,
  type StoredIntegration,
  type StoredKey,
} from "../store/stored.ts";
import {
  integrationColumns,
  integrationMethods as sharedMethods,
  reviewMethods,
} from "../store/shared-methods.ts";
import { createQueries, type Queries } from "./queries.ts";
import { lockNumber, migrate, openQueries, schemaVersion } from "./schema.ts";
import { recordMethods } from "./records.ts";
import { bulkInsert, contactMethods } from "./bulk.ts";
import { readAddress, type ConnectionRuntime } from "./address.ts";

/** Milliseconds that a write may wait for locks before the database counts as blocked. */
const maxWait = 2000;

/** Milliseconds for which a successful write proves that writes work. */
const validity = 1000;

/**
 * Creates a check that fails if the database cannot be read, or accepts no writes. It reads one
 * row, and writes the same row at most once a second.
 */
function createHealthCheck({ row, transact }: Queries): () => Promise<void> {
  let lastWrite = Number.NEGATIVE_INFINITY;
  return async () => {
    await row(`SELECT 1 FROM integration WHERE id = ${defaultIntegration}`);
    if (performance.now() - lastWrite < validity) return;
    await transact(async (send) => {
      await send(`SET LOCAL lock_timeout = ${maxWait}`);
      await send(`UPDATE integration SET newest = newest WHERE id = ${defaultIntegration}`);
    }, 1);
    lastWrite = performance.now();
  };
}

const insertIntegration = `
  INSERT INTO integration (name, created_at, newest)
  SELECT $1::text, $2::bigint, $2::bigint
  WHERE NOT EXISTS (SELECT 1 FROM integration WHERE name = $1)
  ON CONFLICT (name) DO NOTHING
  RETURNING ${integrationColumns}`;

const insertKey = `
  WITH owner AS (
    UPDATE integration SET newest = greatest(newest + 1, $4::bigint) WHERE name = $1
      AND ($5::boolean IS FALSE OR NOT EXISTS (SELECT 1 FROM secret_key))
    RETURNING id, newest
  )
  INSERT INTO secret_key (integration_id, hash, ending, created_at)
  SELECT id, $2::bytea, $3::text, newest FROM owner
  RETURNING id, $1::text AS integration, ending, created_at`;

/** Returns the store methods for integrations and keys. @param now microseconds since 1970 */
function integrationMethods(queries: Queries, now: () => Microseconds): IntegrationStore {
  const { row, change, transact } = queries;
  return {
    ...sharedMethods(queries),

    insertIntegration: async (name) => {
      const time = Math.floor(now());
      const [added] = await change<StoredIntegration>(insertIntegration, name, time);
      return added;
    },

    insertKey: async (integration, hash, ending, isFirst = false) => {
      // Before anything is written, so that a server can start on a standby.
      if (isFirst && (await row("SELECT 1 FROM secret_key LIMIT 1")) !== undefined)
        return undefined;
      return transact(async (send) => {
        // Several servers that start together create one first key.
        if (isFirst) await send(`SELECT pg_advisory_xact_lock(${lockNumber})`);
        const time = Math.floor(now());
        const [added] = await send<StoredKey>(insertKey, integration, hash, ending, time, isFirst);
        return added;
      });
    },
  };
}

/**
 * Opens a Store on a PostgreSQL database and creates missing tables.
 *
 * @param url postgres://USER:PASSWORD@HOST:PORT/NAME
 * @param now time in microseconds since 1970
 * @param timeout maximum wait for a connection, in milliseconds
 * @param openEmpty opens an empty Store, read until the first record (default: create tables now)
 * @throws SendctlError "usage" for an invalid address, "database" if the database cannot be used
 */
export async function openPostgresStore(
  url: string,
  runtime: ConnectionRuntime,
  now: () => Microseconds,
  timeout?: number,
  openEmpty?: () => Store,
): Promise<Store> {
  const address = readAddress(url, runtime, timeout);
  if (openEmpty === undefined) return storeOn(await openQueries(address), now);
  const queries = createQueries(address);
  const isMissing = async () => (await schemaVersion(queries.select, address)) === 0;
  const create = async (): Promise<Store> => {
    await migrate(queries);
    return storeOn(queries, now);
  };
  return openLateStore({ create, openEmpty, isMissing, close: queries.close });
}

function storeOn(queries: Queries, now: () => Microseconds): Store {
  return {
    ...recordMethods(queries, now),
    withKey: (hash) => recordMethods(queries, now, hash),
    ...integrationMethods(queries, now),
    ...contactMethods(queries),
    ...reviewMethods(queries),
    insertMany: bulkInsert(queries, now),
    checkHealth: createHealthCheck(queries),
    close: queries.close,
  };
}
