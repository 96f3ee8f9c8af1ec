import { setTimeout } from "node:timers/promises";
import { reviewMethods } from "../store/review-methods.ts";
import type {
  IntegrationStore,
  Microseconds,
  Store,
  StoredIntegration,
  StoredKey,
} from "../store/store.ts";
import {
  integrationColumns,
  integrationMethods as sharedMethods,
} from "../store/shared-methods.ts";
import { openQueries, type Queries } from "./queries.ts";
import { unusable } from "./connection/database-error.ts";
import { pageMethods } from "./pages.ts";
import { nextOf, recordMethods } from "./records.ts";
import { contactMethods } from "./contacts.ts";
import { createEmbedded, type Embedded, type OpenOptions } from "../embedded.ts";
import { readAddress, type ConnectionRuntime } from "./connection/address.ts";
import { seedMethods } from "./seeding.ts";

/** Milliseconds that a write may take before the database counts as blocked. */
const maxWait = 2000;

/** Milliseconds for which a successful write proves that writes work. */
const validity = 1000;

/**
 * Creates a check that fails if the database cannot be read, or accepts no writes. It reads one row, and commits an
 * empty transaction at most once a second, which waits for the lock of writers as every write does.
 */
function createHealthCheck({ row, change, address }: Queries): () => Promise<void> {
  let lastWrite = Number.NEGATIVE_INFINITY;
  let writing: Promise<void> | undefined;

  async function writeOnce(): Promise<void> {
    try {
      await change("SELECT 1");
      lastWrite = performance.now();
    } finally {
      writing = undefined;
    }
  }

  return async () => {
    await row("SELECT newest FROM clock");
    if (performance.now() - lastWrite < validity) return;
    writing ??= writeOnce();
    const late = setTimeout(maxWait, "late", { ref: false });
    // A write that fails after its check has given up does not end the process, because the race has handled it.
    if ((await Promise.race([writing, late])) === "late") throw unusable(address, blocked);
  };
}

const blocked = [
  "locked",
  "accepts no writes, because another process holds the writer lock",
  "see pg_stat_activity for the process",
] as const;

const insertIntegration = `
  WITH next AS (${nextOf(
    "integration",
    "$2",
    "NOT EXISTS (SELECT 1 FROM integration WHERE name = $1)",
  )})
  INSERT INTO integration (id, name, created_at) SELECT id, $1::text, newest FROM next
  RETURNING ${integrationColumns}`;

/** Hides the integration and deletes its keys. The sweep deletes its records. */
const deleteIntegration = `
  WITH deleted AS (UPDATE integration SET name = NULL WHERE name = $1 RETURNING id),
  revoked AS (DELETE FROM secret_key WHERE integration_id IN (SELECT id FROM deleted))
  SELECT id FROM deleted`;

const insertKeyIf = (condition: string): string => `
  WITH owner AS (SELECT id FROM integration WHERE name = $1),
  next AS (${nextOf("key", "$4", `EXISTS (SELECT 1 FROM owner) AND ${condition}`)})
  INSERT INTO secret_key (id, integration_id, hash, ending, created_at)
  SELECT next.id, owner.id, $2::bytea, $3::text, newest FROM next CROSS JOIN owner
  RETURNING id, $1::text AS integration, ending, created_at AS "createdAt"`;

const insertKey = insertKeyIf("true");
const insertFirstKey = insertKeyIf("NOT EXISTS (SELECT 1 FROM secret_key)");

/** Returns the store methods for integrations and their keys. @param now time in microseconds since 1970 */
function integrationMethods(queries: Queries, now: () => Microseconds): IntegrationStore {
  const { change, sweep } = queries;
  const time = (): number => Math.floor(now());
  return {
    ...sharedMethods(queries),

    insertIntegration: async (name) => {
      const [added] = await change<StoredIntegration>(insertIntegration, name, time());
      return added;
    },

    deleteIntegration: async (name) => {
      const deleted = await change(deleteIntegration, name);
      if (deleted.length > 0) await sweep();
      return deleted.length > 0;
    },

    insertKey: async (integration, hash, ending, isFirst = false) => {
      const insert = isFirst ? insertFirstKey : insertKey;
      const [added] = await change<StoredKey>(insert, integration, hash, ending, time());
      return added;
    },
  };
}

/** Opens the engine on a PostgreSQL database: see `openPostgresStore` and `createEmbedded`. */
export async function openPostgresEmbedded(
  url: string,
  runtime: ConnectionRuntime,
  now: () => Microseconds,
  { behaviour, timeout }: OpenOptions = {},
): Promise<Embedded> {
  return createEmbedded(await openPostgresStore(url, runtime, now, timeout), now, behaviour);
}

/**
 * Opens a Store on a PostgreSQL database and creates missing tables.
 *
 * @param url postgres://USER:PASSWORD@HOST:PORT/NAME
 * @param now time in microseconds since 1970
 * @param timeout maximum wait for a connection, in milliseconds
 * @throws SendctlError "usage" for an invalid address, "database" if the database cannot be used
 */
export async function openPostgresStore(
  url: string,
  runtime: ConnectionRuntime,
  now: () => Microseconds,
  timeout?: number,
): Promise<Store> {
  const queries = await openQueries(readAddress(url, runtime, timeout));
  return {
    ...pageMethods(queries),
    ...recordMethods(queries, now),
    ...integrationMethods(queries, now),
    ...contactMethods(queries),
    ...reviewMethods(queries, (subquery) => `= ANY(ARRAY(${subquery}))`),
    seeding: async () => seedMethods(queries, now),
    checkHealth: createHealthCheck(queries),
    close: queries.close,
  };
}
